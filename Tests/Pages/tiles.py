"""A door in front of the door, which adds files of map tiles that the tests make."""

import http.client
import http.server
import json
import threading
import urllib.parse


class TileDoor:
    """Passes requests on to a door, except those for tiles.

    `description` is the answer of /tiles.json. `tile(zoom, column, row)` returns the bytes of a tile, or None."""

    def __init__(self, base, description, tile, kind="application/vnd.mapbox-vector-tile"):
        self.asked = []
        #: Whether no request gets an answer, as where there is no connection.
        self.closed = False
        #: The number of changes whose answers are lost on their way back, as where a connection breaks.
        self.losing = 0
        #: The bodies of the calls that were passed on, or the paths of the photos.
        self.sent = []
        upstream = urllib.parse.urlsplit(base)
        door = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, kind, body, *headers):
                self.send_response(status)
                for name, value in [("Content-Type", kind), ("Content-Length", str(len(body))), *headers]:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                if door.closed:
                    self.close_connection = True
                    return None
                path = self.path.split("?")[0]
                if path == "/tiles.json":
                    return self.answer(200, "application/json", json.dumps(description).encode())
                if path.startswith("/tiles/"):
                    door.asked.append(path)
                    body = tile(*map(int, path.split("/")[-3:]))
                    packed = [("Content-Encoding", "gzip")] if body and body[:2] == b"\x1f\x8b" else []
                    return self.answer(200, kind, body, *packed) if body else self.answer(204, kind, b"")
                return self.pass_on()

            def do_POST(self):
                self.close_connection = door.closed
                if not door.closed:
                    self.pass_on()

            def is_lost(self, body):
                """Notes a call, and returns whether its answer is lost."""
                if self.command != "POST":
                    return False
                call = body.decode() if self.path == "/rpc" else self.path
                door.sent.append(call)
                if not door.losing or '"once"' not in call and "once=" not in call:
                    return False
                door.losing -= 1
                return True

            def pass_on(self):
                connection = http.client.HTTPConnection(upstream.hostname, upstream.port, timeout=60)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
                connection.request(self.command, self.path, body, dict(self.headers))
                answer = connection.getresponse()
                if self.is_lost(body or b""):
                    answer.read()
                    connection.close()
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "date", "server"):
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    while part := answer.read1(65536):
                        self.wfile.write(part)
                        self.wfile.flush()
                except OSError:
                    pass
                finally:
                    connection.close()
                    self.close_connection = True

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()
