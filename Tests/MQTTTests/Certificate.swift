/// A self-signed certificate for `localhost`, made only for tests.
enum Certificate {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBljCCATugAwIBAgIUMVc8dM043ZAz8BXu+ZDdNw+TFoowCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE2MjExOVoYDzIxMjYxMDMw
        MTYyMTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATjng0zHAUFtLuVadgKzBdiYBU7ToNKF7xVnXzAg7VoBtYq0m11o2FX
        kfEnTiK/uVJdbDbgZOGhdRQyhJkqFmUro2kwZzAdBgNVHQ4EFgQUvG4z+Zwh1VkQ
        d2IZFTuOO8qcM1IwHwYDVR0jBBgwFoAUvG4z+Zwh1VkQd2IZFTuOO8qcM1IwDwYD
        VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
        SQAwRgIhAPZa7TY7DhLb6XCVt08hkZv+j8RQrSVTiPEEsJh3AEY0AiEA559kF7+o
        /pmHGD8DmLxKzbAwUU7g+TM33CH96p5t0Rs=
        -----END CERTIFICATE-----

        """
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm0gKLp1PFRQo64C6
        p+Rk/j3Vk/aFHKQXtJI1Z+btamKhRANCAATjng0zHAUFtLuVadgKzBdiYBU7ToNK
        F7xVnXzAg7VoBtYq0m11o2FXkfEnTiK/uVJdbDbgZOGhdRQyhJkqFmUr
        -----END PRIVATE KEY-----

        """
    /// The SHA-256 fingerprint of the certificate.
    static let fingerprint = "5f1faa56936f871a5b2d248c42f771c17416960ebc955bd041cef0a50cda2844"
}
