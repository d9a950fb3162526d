"""Calls a Waymark door over HTTP, as a browser does: JSON-RPC with a cookie."""

import http.cookiejar
import json
import pathlib
import re
import struct
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, method, error):
        super().__init__(f"{method}: {error}")
        self.code, self.data = error.get("code"), error.get("data") or {}


class Client:
    """One person's connection, which keeps the cookie of the session."""

    def __init__(self, base):
        self.base = base.rstrip("/")
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def call(self, method, /, **parameters):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        answer = self._post("/rpc", json.dumps(body).encode(), "application/json")
        if "error" in answer:
            raise Refused(method, answer["error"])
        return answer["result"]

    def upload(self, subject, picture, caption=""):
        """Adds a photo, and returns it."""
        query = urllib.parse.urlencode({"subject": subject, "caption": caption})
        return self._post(f"/photos?{query}", picture, "image/png")

    def get(self, path):
        """Returns the bytes at an address of the door."""
        with self.opener.open(self.base + path, timeout=60) as answer:
            return answer.read()

    def cookie(self):
        """Returns the value of the session's cookie."""
        return next((cookie.value for cookie in self.jar if cookie.name == "waymark"), None)

    def _post(self, path, body, kind):
        request = urllib.request.Request(
            self.base + path, body, {"Content-Type": kind, "Origin": self.base})
        try:
            with self.opener.open(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(path, {"code": error.code, "message": error.read().decode(errors="replace")}) from None


def mailed_code(mail, address, patience=20):
    """Waits for a mail to an address, and returns the six digits of the last one."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        text = mail.read_text() if mail.exists() else ""
        at = text.rfind(f"<{address}>")
        found = re.search(r"\b\d{6}\b", text[at:]) if at >= 0 else None
        if found:
            return found[0]
        time.sleep(0.05)
    raise TimeoutError(f"no mail to {address}")


def sign_up(base, mail, username, first, last):
    """Returns a client of a new person, whose password is "a quiet road"."""
    client = Client(base)
    address = f"{username}@example.org"
    begun = client.call(
        "people.signUp", first_name=first, last_name=last, email=address, username=username,
        password="a quiet road", password_again="a quiet road", terms=True)
    client.call("people.prove", ticket=begun["ticket"], code=mailed_code(pathlib.Path(mail), address))
    return client


def picture(seed, width=480, height=360, taken=None):
    """Returns a PNG of hills under a sky, a different one for each seed, as a camera took it at a time in UTC."""
    import math

    hue = (seed * 0.17) % 1

    def colour(h, s, v):
        i, f = int(h * 6) % 6, h * 6 % 1
        p, q, t = v * (1 - s), v * (1 - f * s), v * (1 - (1 - f) * s)
        return bytes(int(255 * x) for x in [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][i])

    sky = [colour((hue + 0.08 * y / height) % 1, 0.45 - 0.3 * y / height, 0.95) for y in range(height)]
    layers = [colour((hue + 0.45 + 0.03 * n) % 1, 0.35 + 0.1 * n, 0.75 - 0.15 * n) for n in range(4)]
    tops = [
        [height * (0.42 + 0.13 * n) + 26 * math.sin(x / (60 + 17 * n) + seed + n) + 12 * math.sin(x / 23 + seed * n)
         for x in range(width)] for n in range(4)]
    sun = (width * (0.2 + 0.6 * ((seed * 0.37) % 1)), height * 0.25, 34)
    light = colour(0.12, 0.35, 1)
    rows = []
    for y in range(height):
        row = bytearray(b"\0")
        for x in range(width):
            pixel = sky[y]
            if (x - sun[0]) ** 2 + (y - sun[1]) ** 2 < sun[2] ** 2:
                pixel = light
            for n in range(4):
                if y > tops[n][x]:
                    pixel = layers[n]
            row += pixel
        rows.append(bytes(row))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    # A directory with one entry, the date and time.
    camera = taken and struct.pack("<2sHIHHHIII", b"II", 42, 8, 1, 0x0132, 2, 20, 26, 0) + f"{taken:%Y:%m:%d %H:%M:%S}\0".encode()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + (chunk(b"eXIf", camera) if camera else b"")
            + chunk(b"IDAT", zlib.compress(b"".join(rows), 6))
            + chunk(b"IEND", b""))
