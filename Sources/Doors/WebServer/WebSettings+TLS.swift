import NIOSSL

extension WebSettings {
    /// Returns the configuration of TLS; `nil` if no certificate is set.
    ///
    /// - Throws: ``WebError`` if the certificate or its key cannot be read, or if they do not match.
    func tls() throws -> TLSConfiguration? {
        guard let certificate, let key else { return nil }
        let chain: [NIOSSLCertificateSource]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
            guard !chain.isEmpty else { throw WebError("") }
        } catch {
            throw WebError("web.certificate: \(certificate) cannot be read as certificates in PEM format.")
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
        } catch {
            throw WebError("web.key: \(key) cannot be read as a private key in PEM format without a password.")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw WebError("web.key: \(key) is not the key of the certificate in \(certificate).")
        }
        return configuration
    }
}
