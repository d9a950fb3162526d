from selenium import webdriver

import client
from case import PageTest


class Feed(PageTest):
    def test_shows_a_post_whole__GT_9_GT_10_GT_11(self):
        window = self.window("dan")
        window.open(f"/posts/{self.stage.made['post']}")
        window.see("Bob Hope", "main h1")
        window.see("Nordlicht", "main")
        self.assertNotIn("1 wear", window.find("main").text)
        window.press("Love it", "main")
        window.until(lambda: self.call("dan", "posts.get", post=self.stage.made["post"])["loved"], "a heart")
        window.press("Who loves this", "main")
        window.see("Cleo de Nijl", "dialog")
        window.press("Close", "dialog")
        window.press("Change it", "main")
        window.see("1 wear, 1 change", "main")

    def test_a_tap_shows_a_photo_whole_and_a_double_tap_gives_a_heart(self):
        post = self.call("bob", "posts.add", text="Two taps for this one.", lat=52.36, lon=4.8852)["id"]
        self.stage.people["bob"].upload(f"post/{post}", client.picture(77, 400, 480))
        window = self.window("ada", size=(390, 844))
        window.open("/feed")
        photo = window.until(lambda: window.all(f"[data-post='{post}'] .tile-photo"), "the photo")[0]
        width, height = window.driver.execute_script(
            "const box = arguments[0].firstElementChild.getBoundingClientRect(); return [box.width, box.height]", photo)
        self.assertAlmostEqual(height / width, 5 / 4, 1)
        webdriver.ActionChains(window.driver).double_click(photo).perform()
        window.until(lambda: self.call("ada", "posts.get", post=post)["loved"], "a heart")
        self.assertFalse(window.all("dialog"))
        window.click(f"[data-post='{post}'] .tile-photo")
        window.until(lambda: window.all("dialog.full img.whole"), "the whole photo")
        window.press("Close", "dialog")
        self.call("bob", "posts.remove", post=post)

    def test_a_product_is_posted_and_removed__GT_14_GT_12(self):
        window = self.window("cleo")
        window.open("/feed")
        window.press("New post", "main")
        window.press("More", "dialog")
        window.press("Product", "dialog")
        window.type("Photo", self.file(80))
        window.type("Name", "Tin mug")
        window.type("Brand", "Havn")
        window.type("Price", "free")
        window.press("Post", "dialog")
        window.refused("price")
        window.type("Price", "12.50")
        window.press("Post", "dialog")
        window.see("Tin mug", "main h1")
        window.until(lambda: window.all("main img.whole"), "its photo")
        ada = self.window("ada")
        ada.open("/feed")
        ada.see("Tin mug", "main .tile:first-child")
        window.press("More actions", "main")
        self.assertFalse([item for item in window.all(".menu-items button") if item.text in ("Flag", "Suggest")])
        window.press("Remove", ".menu-items")
        window.press("Remove", "dialog")
        window.see("The post was removed.")

    def test_a_viewer_flags_and_does_not_remove__GT_12(self):
        window = self.window("dan")
        window.open(f"/posts/{self.stage.made['product post']}")
        window.press("Share", "main")
        self.assertIn(f"{self.stage.base}/posts/", window.field("Text to share").get_attribute("value"))
        window.press("Close", "dialog")
        window.press("More actions", "main")
        self.assertEqual([item.text for item in window.all(".menu-items button")], ["Suggest", "Flag"])
        window.press("Flag", ".menu-items")
        window.press("Flag", "dialog")
        window.see("Flagged. Thank you.")

    def test_a_product_goes_on_the_shopping_list_and_by_mail__GT_15(self):
        window = self.window("bob")
        window.open(f"/products/{self.stage.made['product']}")
        window.see("€29.90", "main")
        window.press("Add to my shopping list", "main")
        window.see("Remove from my shopping list", "main")
        window.press("E-mail it to me", "main")
        window.press("E-mail it to me", "dialog")
        window.see("Sent to bob@example.org.")
        window.until(lambda: "Wool cap" in self.stage.mail.read_text().split("<bob@example.org>")[-1], "the mail")
        window.open("/shopping")
        window.see("Wool cap", "main")
        self.assertEqual(window.find("main .row a[rel]").get_attribute("href"), "https://shop.example/cap")
        window.open("/people")
        window.press("Invite", "main")
        window.see(f"Bob Hope invites you to Waymark. {self.stage.base}/sign-up", "dialog")


class Machine(PageTest):
    def test_tells_of_receivers__and_lets_administrators_alone_decide(self):
        for who in ("bob", "ada"):
            window = self.window(who)
            window.open("/machine")
            window.see("van", "main table")
            window.see("Log", "main")
            admin = self.call(who, "people.whoami")["admin"]
            (window.see if admin else window.see_no)("Numbers", "main")
            self.assertEqual("Open flags" in window.text(), admin)
