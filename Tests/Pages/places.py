"""The pages, each with the person who opens it."""


from stage import wait_for


def pages(stage):
    """Returns for each page a name, an address, and the person who opens it; None is nobody."""
    made = stage.made
    trips = wait_for(lambda: stage.people["ada"].call("trips.list")["trips"], "a trip", 60)
    trip = trips[0]["id"].replace(".", "*")
    plan = f"/plans/{made['plan']}"
    return [
        ("now", "/now", "ada"), ("sights", "/sights", "ada"), ("sight", "/sights/westerkerk", "ada"), ("trips", "/trips", "ada"),
        ("trip", f"/trips/{trip}", "ada"), ("plans", "/plans", "ada"), ("plan", plan, "ada"), ("plan-locations", f"{plan}/locations", "ada"),
        ("plan-money", f"{plan}/money", "ada"), ("plan-people", f"{plan}/people", "ada"), ("plan-journey", f"{plan}/journey", "ada"),
        ("plan-photos", f"{plan}/photos", "ada"), ("location", f"/locations/{made['location']}", "ada"), ("explore", "/explore", "ada"),
        ("votes", "/votes", "ada"), ("vote", f"/votes/{made['vote']}", "ada"), ("vote-locked", f"/votes/{made['vote']}", "dan"),
        ("vote-result", f"/votes/{made['finished vote']}", "bob"), ("feed", "/feed", "ada"), ("post", f"/posts/{made['post']}", "ada"),
        ("product", f"/products/{made['product']}", "ada"), ("shopping", "/shopping", "ada"), ("ranking", "/ranking", "ada"), ("people", "/people", "ada"),
        ("requests", "/people?of=requests", "ada"), ("person", "/people/bob", "ada"), ("notifications", "/notifications", "ada"), ("profile", "/profile", "ada"),
        ("machine", "/machine", "ada"), ("sign-in", "/sign-in", None), ("sign-up", "/sign-up", None), ("link", f"/s/{made['link']}", None),
        ("nothing", "/nowhere", None), ("signed-out", "/plans", None),
    ]
