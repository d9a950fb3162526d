"""Notifications in a browser, also while the page is closed."""

import http.server
import json
import threading

from case import PageTest

#: Makes a browser that is subscribed at a push service of the test's own, because the browser's own is on the internet.
SUBSCRIBED = """
const endpoint = ENDPOINT;
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '');
let kept = null;
PushManager.prototype.getSubscription = async () => kept;
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  window.subscribedTo = text(applicationServerKey);
  const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  const keys = { p256dh: text(await crypto.subtle.exportKey('raw', pair.publicKey)), auth: text(new Uint8Array(16)) };
  kept = {
    endpoint, options: { applicationServerKey: applicationServerKey.buffer }, toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => { kept = null; return true; },
  };
  return kept;
};
"""


class PushService:
    """A push service that notes the headers of what it is handed."""

    def __init__(self):
        self.messages = []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.messages.append((dict(self.headers), body))
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}/push/one"

    def end(self):
        self.server.shutdown()
        self.server.server_close()


class Push(PageTest):
    SOON = 6

    def settings(self, window):
        window.open("/notifications")
        window.press("Notification settings", "main")

    def allow(self, window):
        window.tell("Browser.grantPermissions", origin=self.stage.base, permissions=["notifications"])

    def subscribed(self, window, endpoint):
        """Prepares a window in which the browser's own push service is another."""
        self.allow(window)
        source = SUBSCRIBED.replace("ENDPOINT", json.dumps(endpoint))
        window.tell("Page.addScriptToEvaluateOnNewDocument", source=source)

    def test_this_browser_is_notified_tried_and_removed(self):
        service = PushService()
        self.addCleanup(service.end)
        window = self.window("dan", size=(900, 900))
        self.subscribed(window, service.endpoint)
        self.settings(window)
        window.press("Notify this browser", "dialog .push")
        window.see("this one", "dialog .push", 20)
        self.assertFalse(service.messages)
        window.press("Try it", "dialog .push")
        window.see("It arrives within seconds.")
        [(headers, body)] = service.messages
        self.assertEqual(headers["Content-Encoding"], "aes128gcm")
        self.assertIn(f"k={self.call('dan', 'push.list')['key']}", headers["Authorization"])
        self.assertEqual(window.driver.execute_script("return subscribedTo"), self.call("dan", "push.list")["key"])
        self.assertGreater(len(body), 86)
        # Somebody does something: the service is handed a message within seconds, whatever page is open.
        window.driver.get("about:blank")
        self.call("bob", "people.follow", person="dan")
        window.until(lambda: len(service.messages) == 2, "the notification", self.SOON)
        self.settings(window)
        # The page of this test has forgotten its subscription, so that it could be made anew.
        window.see("Notify this browser", "dialog .push")
        window.press("Remove", "dialog .push")
        window.see("no longer notified")
        self.assertEqual(self.call("dan", "push.list")["browsers"], [])

    def test_a_page_says_why_it_cannot_notify(self):
        # The browser's push service is on the internet, or the browser has none.
        window = self.window("dan", size=(901, 900))
        self.allow(window)
        self.settings(window)
        window.press("Notify this browser", "dialog .push")
        window.see("cannot reach its push service", "dialog .push", 20)
        denied = self.window("dan", size=(902, 900))
        denied.tell("Browser.setPermission", origin=self.stage.base, permission={"name": "notifications"},
                    setting="denied")
        self.settings(denied)
        denied.see("does not allow notifications", "dialog .push")
        german = self.window("dan", size=(360, 800), language="de")
        german.tell("Page.addScriptToEvaluateOnNewDocument", source="delete window.PushManager;")
        german.open("/notifications")
        german.press("Einstellungen für Mitteilungen", "main")
        german.see("bekommt keine Mitteilungen, solange die Seite geschlossen ist", "dialog .push")
        self.assertFalse([one for one in german.all("dialog .push button") if one.is_displayed()])

    def test_the_service_worker_shows_what_comes_and_opens_its_page(self):
        sight = self.call("dan", "sights.add", title="The pushed gate", description="A gate.", lat=52.29, lon=4.75,
                          radius=50)["id"]
        service = PushService()
        self.addCleanup(service.end)
        window = self.window("dan", size=(903, 900), language="de")
        self.subscribed(window, service.endpoint)
        window.open("/notifications")
        window.press("Einstellungen für Mitteilungen", "main")
        window.press("Diesen Browser benachrichtigen", "dialog .push")
        window.see("Ausprobieren", "dialog .push", 20)
        for who in ("bob", "cleo"):
            self.call(who, "reactions.set", subject=f"sight/{sight}", kind="heart", on=True)
        notification = self.call("dan", "notifications.list", limit=1)["notifications"][0]
        shown = self.deliver(window, notification)
        self.assertEqual(shown["title"], "Herzen")
        self.assertEqual(shown["body"], "Cleo de Nijl und Bob Hope lieben The pushed gate.")
        vote = {"kind": "vote", "id": "7", "text": "The vote <b>Canoe &amp; tent</b> has ended. "
                "<b>2026-06-12/2026-06-14</b> has won."}
        # Spaces of formats may be narrow.
        body = " ".join(self.deliver(window, vote)["body"].split())
        self.assertRegex(body, r"Canoe & tent.*12\. Juni? – .*14\. Juni?")
        window.open(f"/notifications?open={notification['id']}")
        window.see("The pushed gate", "main h1")
        opened = self.call("dan", "notifications.get", notification=notification["id"])
        self.assertEqual(opened["state"], "read")

    def deliver(self, window, data):
        """Hands a message to the service worker, as the browser does, and returns the notification that it shows."""
        window.driver.execute_async_script("""
            const done = arguments[0];
            navigator.serviceWorker.ready.then((registration) => registration.getNotifications())
              .then((all) => { for (const one of all) one.close(); done(); });""")
        window.tell("ServiceWorker.enable")
        # The number of the registration is known only to the browser.
        for number in range(20):
            window.tell("ServiceWorker.deliverPushMessage", origin=self.stage.base, registrationId=str(number),
                        data=json.dumps(data))
            found = window.driver.execute_async_script("""
                const done = arguments[0];
                (async () => {
                  const registration = await navigator.serviceWorker.ready;
                  for (let tries = 0; tries < 10; tries++) {
                    const [one] = await registration.getNotifications();
                    if (one) return { title: one.title, body: one.body };
                    await new Promise((resolve) => { setTimeout(resolve, 50); });
                  }
                  return null;
                })().then(done);""")
            if found:
                return found
        self.fail("the service worker has shown nothing")
