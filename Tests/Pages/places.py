"""The pages, each with the person who opens it."""

import client
from stage import wait_for

#: A name of 64 letters without a space, and a title in Arabic.
LONG = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbe"
ARABIC = "\u0631\u062d\u0644\u0629 \u0625\u0644\u0649 \u0627\u0644\u0628\u062d\u0631: 3 \u0623\u064a\u0627\u0645!"


def pages(stage):
    """Returns for each page a name, an address, and the person who opens it; None is nobody."""
    made = stage.made
    trips = wait_for(lambda: stage.people["ada"].call("trips.list")["trips"], "a trip", 60)
    trip = trips[0]["id"].replace(".", "*")
    plan = f"/plans/{made['plan']}"
    return [
        ("now", "/now", "ada"), ("sights", "/sights", "ada"), ("sight", "/sights/westerkerk", "ada"), ("trips", "/trips", "ada"),
        ("trip", f"/trips/{trip}", "ada"), ("history", "/history", "ada"), ("history-day", f"/history/{trips[0]['start'][:10]}", "ada"),
        ("history-year", f"/history/year/{trips[0]['start'][:4]}", "ada"), ("reports", "/reports", "ada"), ("logbook", "/reports?view=logbook", "ada"), ("plans", "/plans", "ada"), ("plan", plan, "ada"), ("plan-locations", f"{plan}/locations", "ada"),
        ("plan-money", f"{plan}/money", "ada"), ("plan-people", f"{plan}/people", "ada"), ("plan-journey", f"{plan}/journey", "ada"),
        ("plan-photos", f"{plan}/photos", "ada"), ("story", f"{plan}/story", "ada"), ("location", f"/locations/{made['location']}", "ada"), ("explore", "/explore", "ada"),
        ("votes", "/votes", "ada"), ("vote", f"/votes/{made['vote']}", "ada"), ("vote-locked", f"/votes/{made['vote']}", "dan"),
        ("vote-result", f"/votes/{made['finished vote']}", "bob"), ("feed", "/feed", "ada"), ("post", f"/posts/{made['post']}", "ada"),
        ("product", f"/products/{made['product']}", "ada"), ("shopping", "/shopping", "ada"), ("ranking", "/ranking", "ada"), ("people", "/people", "ada"),
        ("requests", "/people?of=requests", "ada"), ("person", "/people/bob", "ada"), ("notifications", "/notifications", "ada"), ("profile", "/profile", "ada"),
        ("machine", "/machine", "ada"), ("sign-in", "/sign-in", None), ("sign-up", "/sign-up", None), ("link", f"/s/{made['link']}", None), ("link-story", f"/s/{made['link']}/story", None),
        ("nothing", "/nowhere", None), ("signed-out", "/plans", None),
    ]


def before(stage):
    """Returns pages of a store without people, devices and trips, as `pages` does."""
    return [(f"{name}-none", f"/{name}", None, None) for name in ("now", "trips", "feed", "explore", "ranking")]


def awkward(stage):
    """Signs up a person who has nothing yet, and one whose names and titles are long or Arabic."""
    for username, first, last in [("new", "Nia", "Nu"), ("long", LONG, "\u0628\u0646 \u0635\u0627\u0644\u062d")]:
        stage.people[username] = client.sign_up(stage.base, stage.mail, username, first, last)
    long, ada, made = stage.people["long"], stage.people["ada"], stage.made
    # Ada has asked many others before, and nobody may ask more than sixty in an hour.
    long.call("friends.request", person="ada")
    ada.call("friends.confirm", person="long")
    for title in (ARABIC, LONG):
        plan = long.call("plans.create", title=title, description=f"{title} {title}", destination=title, lat=36.8, lon=10.2, zone="Africa/Tunis", start="2026-06-05", end="2026-06-06")["id"]
        long.call("members.ask", plan=plan, person="ada")
        made["long plan"] = plan
    ada.call("members.confirm", plan=made["long plan"])
    for title in (ARABIC, LONG):
        long.call("locations.add", plan=plan, name=title, lat=36.8, lon=10.2, address=title)
        long.call("activities.add", **{"plan": plan, "tab": "food", "title": title, "recommendation": title, "from": "2026-06-05T12:30"})
        long.call("expenses.add", plan=plan, title=title, amount="1234567.89", tab="food", category=title[:30], day="2026-06-05")
        made["long sight"] = long.call("sights.add", title=title, lat=36.8, lon=10.2, radius=60, category=title[:30], description=title)["id"]
    ada.call("reviews.put", subject=f"sight/{made['long sight']}", rating=2, text=f"{ARABIC} {LONG}")
    made["long post"] = long.call("posts.add", text=f"{LONG} {ARABIC}", brands=[LONG[:40], ARABIC], voting=True, lat=36.8, lon=10.2)["id"]
    # The van's drive is ahead of the clock for a while, where no vote can be opened.
    stage.ride("dinghy", [(52.37, 4.89 + n / 10_000) for n in range(4)])
    long.call("devices.join", device="dinghy")
    made["long vote"] = long.call("votes.open", subject=ARABIC, participants=4, limit="1h", passcode="2468", options=[LONG, ARABIC])["id"]
    long.call("devices.leave", device="dinghy")
    long.call("devices.join", device="van")


def states(stage):
    """Returns states of pages as `pages` does, each with what leads to it: a function of the window."""
    made = stage.made
    plan, long = f"/plans/{made['plan']}", f"/plans/{made['long plan']}"

    def click(selector):
        def act(window):
            window.driver.execute_script("arguments[0].click()", window.find(selector))
            window.settle()
        return act

    def lose(window):
        """Opens the trips without a connection."""
        for offline in (True, False):
            window.tell("Network.emulateNetworkConditions", offline=offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)
            if offline:
                window.driver.execute_script("arguments[0].click()", window.find("a[href='/trips']"))
                window.settle()

    def tab(window):
        """Moves the focus on by three."""
        for _ in range(3):
            window.tell("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)

    return [
        *[(f"{name}-empty", f"/{name}", "new", None) for name in ("plans", "votes", "feed", "people", "notifications", "profile", "shopping")],
        *[(f"long-{name or 'plan'}", f"{long}/{name}".rstrip("/"), "long", None) for name in ("", "locations", "money", "people", "photos")],
        ("long-plans", "/plans", "long", None), ("long-sight", f"/sights/{made['long sight']}", "long", None), ("long-post", f"/posts/{made['long post']}", "ada", None),
        ("long-vote", f"/votes/{made['long vote']}", "long", None), ("long-person", "/people/long", "ada", None), ("long-profile", "/profile", "long", None),
        ("long-invited", "/plans?of=asked", "ada", None), ("long-friends", "/people", "ada", None),
        ("plan-form", "/plans", "ada", click(".page-head .primary")), ("plan-menu", plan, "ada", click(".page-head .menu button")),
        ("plan-share", plan, "ada", click(".page-head .button:nth-child(3)")), ("plans-map", "/plans", "ada", click(".toolbar .choice:last-child button:last-child")),
        ("money-form", f"{plan}/money", "ada", click("main .primary")), ("location-form", f"{plan}/locations", "ada", click("main .primary")),
        ("activity-form", plan, "ada", click(".section .section > .button")), ("activity", plan, "ada", click(".row-text .plain")),
        ("photo", f"{plan}/photos", "ada", click(".gallery button")), ("vote-form", "/votes", "ada", click(".page-head .primary")),
        ("post-form", "/feed", "ada", click(".page-head .primary")), ("sight-form", "/now", "ada", click("main .primary")),
        ("review-form", "/sights/artis", "ada", click("main .section .button")), ("invite", "/people", "ada", click(".page-head .primary")),
        ("rules", "/notifications", "ada", click(".page-head .button:nth-child(2)")), ("ranking-chart", "/ranking", "ada", click(".row .icon-button")),
        ("sign-up-errors", "/sign-up", None, click("form .primary")), ("focus", "/plans", "ada", tab), ("more", "/votes", "ada", click(".foot summary")),
        ("trips-lost", "/now", "ada", lose),
    ]
