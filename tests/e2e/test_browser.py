"""The sandbox's page in a real browser: duels by clicking, roles, restarts, stopping and starting, a phone."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bot.discord.messages.welcome import MAX_PICTURES
from rules.core.registry import RULESETS
from tests.e2e.conftest import opened, rest, sandbox
from tests.e2e.phone import SCREEN, measured

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start one sandbox for those tests that do not mind what others have left in it."""
    with sandbox(tmp_path_factory.mktemp("sandbox")) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with opened(browser, address) as page:
        yield page


def press(page: Page, what: Locator) -> None:
    what.click()
    rest(page)


def button(page: Page, label: str) -> Locator:
    named = page.locator("#messages .button:not([disabled])", has_text=re.compile(label))
    return named.last


ALONE, TOGETHER, ON_HEXES = "computer=1", "/galley new", "game=forts&computer=1"
"""Where links of the guide lead that open games."""


def open_guide(page: Page) -> None:
    if not page.locator("#guide[open]").count():
        page.locator("#guide > summary").click()


def open_game(page: Page, link: str) -> None:
    open_guide(page)
    if "game=" in link:  # it stands below the game's name
        page.locator("#games details", has=page.locator(f'[data-to="{link}"]')).locator("summary").click()
    page.locator(f'#guide .mention[data-to="{link}"]').click()
    press(page, page.locator("form.command .primary"))
    expect(page.locator("form.command")).to_have_count(0)
    if "game=" not in link:  # the bot asks which game
        press(page, button(page, "^War Galley$"))


def choose(page: Page, named: str, value: str) -> None:
    """Choose from the list of the newest lobby that shows something of this name, be it under More."""
    lobby = page.locator('#messages article:has([data-control^="wg/start/"])').last
    named_so = lobby.locator(".select", has_text=named)
    while not named_so.count():  # on the last page there is no More to press, which fails
        press(page, lobby.locator(".button", has_text=re.compile("^More")))
    press(page, named_so)
    press(page, page.locator("[role=option]:visible", has_text=value).first)


def begin_alone(page: Page) -> None:
    open_game(page, ALONE)
    choose(page, "Galleys for each captain", "Galleys for each captain: 1")
    choose(page, "Computer captains", "deckhand")
    press(page, button(page, "^Start"))
    expect(page.locator(".channel.dm .badge")).to_have_count(1)
    press(page, page.locator(".channel.dm"))


def open_thread(page: Page) -> None:
    """Open the thread of any game, of one begun now only where there is none: a person hosts ten at most."""
    if not page.locator(".channel.thread").count():
        begin_alone(page)
    press(page, page.locator(".channel.thread").last)


def last_message(page: Page) -> str:
    return page.locator("#messages article").last.inner_text()


def answer(page: Page) -> None:
    """Press what is free to press until the panel can be sealed, then seal it."""
    for _ in range(12):
        seal = page.locator("#messages article").last.locator(".button.success:not([disabled])")
        if seal.count():
            press(page, seal)
            return
        orders = page.locator("#messages article").last.locator(".button.secondary:not([disabled])")
        press(page, orders.first)
    raise AssertionError(last_message(page))


def play_to_round(page: Page, number: int) -> None:
    for _ in range(12):
        if f"Round {number}:" in last_message(page):
            return
        answer(page)
    raise AssertionError(last_message(page))


def test_two_rounds_against_the_computer_by_clicking_only(page: Page) -> None:
    begin_alone(page)
    play_to_round(page, 3)
    press(page, page.locator(".channel.thread").last)
    text = page.locator("#messages").inner_text()
    assert "Round 1" in text
    assert "Round 2" in text
    pictures = page.locator("#messages .picture img")
    assert pictures.count() >= 4  # two galleys set down, two rounds
    assert pictures.evaluate_all("images => images.every(image => image.naturalWidth > 300 && image.alt)")
    press(page, button(page, "^Log"))
    alone = page.locator(".message.ephemeral")
    expect(alone.first).to_be_visible()
    for left in range(alone.count(), 0, -1):
        expect(alone).to_have_count(left)
        press(page, alone.locator(".linklike").first)
    expect(alone).to_have_count(0)
    pictures.last.click()
    expect(page.locator("#picture[open] img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".toast")).to_have_count(0)


def test_two_roles(page: Page) -> None:
    open_game(page, TOGETHER)
    press(page, page.locator(".player", has_text="Ben"))
    press(page, button(page, "^Join"))
    press(page, page.locator("#form[open] .primary"))  # without a word for the dice
    assert "Ben" in page.locator("#self").inner_text()
    press(page, page.locator(".player", has_text="Anna"))
    press(page, button(page, "^Start"))
    for name in ("Anna", "Ben"):  # galleys are placed automatically in a first game
        press(page, page.locator(".player", has_text=name))
        if page.locator(".channel.dm").get_attribute("aria-current") is None:
            press(page, page.locator(".channel.dm"))
        answer(page)
    for name in ("Anna", "Ben"):
        press(page, page.locator(".player", has_text=name))
        assert "Round 2" in last_message(page)


@pytest.mark.long
def test_a_turn_of_open_moves_by_clicking_only(browser: Browser, tmp_path: Path) -> None:
    with sandbox(tmp_path) as address, opened(browser, address) as page:
        open_game(page, ON_HEXES)
        press(page, button(page, "^Start"))
        expect(page.locator(".channel.dm .badge")).to_have_count(1)
        press(page, page.locator(".channel.dm"))
        panel = page.locator("#messages article").last
        for _ in range(2):  # the flagship, and where the fleet is moored
            answer(page)
        for _ in range(8):  # either turn may be the first, and the computer's takes a while; in a calm nobody sails
            expect(panel).to_contain_text(re.compile(r"Choose (a ship|what the \w+ does next), or press End turn\."))
            frigate = panel.locator(".button", has_text="FR ")
            if sails := frigate.count() == 1 and frigate.is_enabled():  # in a calm the brig alone is offered
                press(page, frigate)
                expect(panel).to_contain_text("Choose what the frigate does next, or press End turn.")
                press(page, panel.locator(".select").first)
                press(page, page.locator("[role=option]").first)
                press(page, panel.locator(".button", has_text="More"))
                expect(panel.locator(".button", has_text="Undo the move of the frigate")).to_have_count(1)
            press(page, panel.locator(".button", has_text="End turn"))
            if sails:
                break
        press(page, page.locator(".channel.thread").last)
        turns = page.locator("#messages article", has_text=re.compile(r"The (white|red) frigate sails"))
        expect(turns.first).to_be_visible()
        assert turns.count() <= 4  # a message a turn
        assert page.locator("#messages .picture img").evaluate_all("images => images.every(image => image.alt)")
        expect(page.locator(".toast")).to_have_count(0)


def test_restarting_the_bot_and_stopping_the_sandbox_lose_nothing(browser: Browser, tmp_path: Path) -> None:
    with sandbox(tmp_path) as address, opened(browser, address) as page:
        begin_alone(page)
        play_to_round(page, 1)
        press(page, button(page, "^F "))
        with opened(browser, address + page.evaluate("location.hash")) as other:  # as on another device
            other.route("**/screen?*", lambda route: route.fulfill(status=204))  # which has not heard of it yet
            press(page, button(page, "^F "))
            button(other, "^Take back").click()  # a letter more would be taken
            other.unroute("**/screen?*")
            expect(other.locator(".message.ephemeral")).to_contain_text("have changed since then")
            expect(other.locator("#messages")).to_contain_text("A1 F")
            expect(other.locator(".toast")).to_have_count(0)
            press(other, other.locator(".message.ephemeral .linklike"))
        press(page, page.locator("#restart"))
        press(page, button(page, "^F "))
        assert "F F F" in last_message(page)
        press(page, page.locator("#hour"))
        clock = page.locator("#clock").inner_text()
        before = last_message(page)
        hash_ = page.evaluate("location.hash")
        expect(page.locator(".toast")).to_have_count(0)
    with sandbox(tmp_path) as address, opened(browser, address + hash_) as page:
        assert page.locator("#clock").inner_text() == clock
        assert last_message(page) == before
        play_to_round(page, 2)
        expect(page.locator(".toast")).to_have_count(0)
    with sandbox(tmp_path, "--fresh") as address, opened(browser, address) as page:
        expect(page.locator(".channel.thread")).to_have_count(0)
        expect(page.locator("#messages article")).to_have_count(1)  # the bot's greeting


def test_deadlines_come_when_time_is_let_pass(browser: Browser, tmp_path: Path) -> None:
    with sandbox(tmp_path) as address, opened(browser, address) as page:
        begin_alone(page)
        play_to_round(page, 1)
        press(page, page.locator("#day"))
        press(page, page.locator("#hour"))
        expect(page.locator("#messages article").last).to_contain_text("Round 2:")


def test_a_command_by_keyboard_alone(page: Page) -> None:
    open_game(page, ALONE)
    page.locator("#write").fill("/galley jo")
    expect(page.locator("#composer > .hints li")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".completed .hints li").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".completed input")).to_have_value(re.compile(r"^#\d+"))
    page.keyboard.press("Enter")
    rest(page)
    expect(page.locator(".message.ephemeral").last).to_contain_text("already in")
    expect(page.locator("#write")).to_be_focused()


def test_options_may_be_typed_after_a_command(page: Page) -> None:
    page.locator("#write").fill("/galley new game:Naval Battle opponent:@Ben name:A game at 8: night")
    page.keyboard.press("Enter")
    page.locator("form.command .linklike").click()
    fields = page.locator("form.command label.field").evaluate_all(
        """fields => fields.map(field => {
            const node = field.querySelector("select, input");
            return [field.querySelector("span").innerText, node.selectedOptions?.[0].text ?? node.value];
        })"""
    )
    filled = dict(fields)
    assert {name: filled[name] for name in ("game", "opponent", "name")} == {
        "game": "Naval Battle",
        "opponent": "Ben",
        "name": "A game at 8: night",
    }


def test_the_list_of_commands_stays_for_who_comes_back_at_once(page: Page) -> None:
    page.evaluate(
        """() => {
            const write = document.querySelector("#write");
            write.focus(), write.blur(), write.focus();
            write.value = "/galley jo";
            write.dispatchEvent(new Event("input"));
        }"""
    )
    page.wait_for_timeout(400)  # longer than a list stays when one has gone elsewhere
    page.keyboard.press("Enter")
    expect(page.locator("form.command")).to_have_count(1)


def test_typed_orders_and_nonsense(page: Page) -> None:
    begin_alone(page)
    page.locator("#write").fill("**nonsense** <script>alert(1)</script>")
    page.keyboard.press("Enter")
    rest(page)
    mine = page.locator("article:has(.name.of-0)").last
    expect(mine.locator("strong")).to_have_text("nonsense")
    assert "<script>alert(1)</script>" in mine.inner_text()
    expect(page.locator("#write")).to_have_value("")
    page.locator("#write").fill("/no such command")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("/no such command")


def test_a_form_is_filled_in_and_kept_open_when_refused(browser: Browser, tmp_path: Path) -> None:
    # In a sandbox of its own: where she may set her galley down, the lot decides.
    with sandbox(tmp_path) as address, opened(browser, address) as page:
        begin_alone(page)
        press(page, button(page, "^Type$"))
        field = page.locator("#form[open] textarea")
        field.fill("A1 5/3 @300,725^180")
        press(page, page.locator("#form .primary"))
        expect(page.locator("#form[open]")).to_have_count(0)
        expect(page.locator("#messages")).to_contain_text("5/3")


def test_both_languages(page: Page) -> None:
    page.locator("#language").click()
    expect(page.locator("#hour")).to_have_text("+1 óra")
    expect(page.locator("#write")).to_have_attribute("placeholder", "Üzenet ide: #war-room")
    open_game(page, ALONE)
    expect(page.locator(".message.ephemeral").last).to_contain_text("kapitány")
    expect(button(page, "^Indítás")).to_be_visible()  # the lobby, which all see, speaks as the server does
    page.locator("#language").click()
    expect(page.locator("#hour")).to_have_text("+1 h")
    open_game(page, ALONE)
    expect(button(page, "^Start")).to_be_visible()


def test_commands_are_called_as_ones_own_discord_calls_them(page: Page) -> None:
    page.locator("#language").click()
    expect(page.locator("#write")).to_have_attribute("placeholder", "Üzenet ide: #war-room")  # the page is at rest
    page.locator("#write").fill("/gálya ú")
    expect(page.locator("#composer > .hints li b")).to_have_text(["/gálya új"])
    page.locator("#write").fill("/galley new")  # the English name is found too
    expect(page.locator("#composer > .hints li b")).to_have_text(["/gálya új"])
    page.keyboard.press("Enter")
    expect(page.locator(".command header b")).to_have_text("/gálya új")
    expect(page.locator(".command .field > span").first).to_have_text("játék")
    press(page, page.locator("form.command .primary"))
    expect(page.locator(".message.ephemeral").last).to_contain_text("Melyik játék legyen?")
    expect(page.locator(".message.ephemeral .above .mention").last).to_have_text("/gálya új")
    page.locator("#write").fill("/galley help")
    page.keyboard.press("Enter")
    press(page, page.locator("form.command .primary"))
    mention = page.locator(".message.ephemeral").last.get_by_role("button", name="/gálya új")
    expect(mention.first).to_be_visible()  # in a text
    press(page, mention.first)
    expect(page.locator(".command header b")).to_have_text("/gálya új")
    press(page, page.locator("form.command .primary"))
    press(page, button(page, "^War Galley$"))
    expect(page.locator(".message.ephemeral").last).to_contain_text("kapitány")


def test_it_fits_a_phone(browser: Browser, address: str) -> None:
    with opened(browser, address, width=400, height=800) as page:
        open_game(page, ALONE)
        lobby = page.locator('#messages article:has([data-control^="wg/start/"])').last
        assert measured(lobby).buttons_end <= SCREEN
        press(page, button(page, "^Start"))
        expect(page.locator("#guide[open]")).to_have_count(0)
        expect(page.locator("#side")).not_to_be_in_viewport()
        page.locator("#guide > summary").click()
        fits = (
            "guide => guide.scrollHeight <= guide.clientHeight && document.documentElement.scrollHeight <= innerHeight"
        )
        assert page.locator("#guide").evaluate(fits)
        page.locator("#games summary").last.click()
        lesson = page.locator("#games details[open] .mention").last
        expect(lesson).to_be_in_viewport()
        page.locator("#games summary").first.click()
        expect(page.locator("#games details[open]")).to_have_count(1)  # one game at a time
        press(page, page.locator('#guide .mention[data-to="dm"]'))
        expect(page.locator("#guide[open]")).to_have_count(0)
        assert page.locator("#write").get_attribute("maxlength") == "2000"
        play_to_round(page, 1)
        for place in ("body", "#messages", "#top"):
            wide, visible = page.locator(place).evaluate("node => [node.scrollWidth, node.clientWidth]")
            assert wide <= visible, place
        narrowest = page.locator("#messages .button").evaluate_all(
            "all => Math.min(...all.map(one => one.getBoundingClientRect().height))"
        )
        assert narrowest >= 32  # a finger's breadth
        page.locator("#guide > summary").click()
        page.locator("#games details[open] .mention").last.click()
        press(page, page.locator("form.command .primary"))
        for verb in ("lesson", "lesson_hint"):
            lesson = page.locator('#messages article:has([data-control^="wg/lesson_try/"])').last
            assert measured(lesson).buttons_end <= SCREEN, verb
            press(page, page.locator('#messages .button[data-control^="wg/lesson_hint/"]').last)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "**b** *i* _i_ __u__ ~~s~~ `c`",
            "<p><strong>b</strong> <em>i</em> <em>i</em> <u>u</u> <s>s</s> <code>c</code></p>",
        ),
        ("***x*** a_b_c 2*3*4", "<p><strong><em>x</em></strong> a_b_c 2<em>3</em>4</p>"),
        (r"\*no\* \<@1>", "<p>*no* &lt;@1&gt;</p>"),
        ("# a\n## b\n-# c\nd", "<h3>a</h3><h4>b</h4><small>c</small><p>d</p>"),
        ("- a\n  - b\n- c\n3. d", '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start="3"><li>d</li></ol>'),
        ("> q\n> **r**\np", "<blockquote><p>q\n<strong>r</strong></p></blockquote><p>p</p>"),
        ("```\n<b> *x*\n```", "<pre><code>&lt;b&gt; *x*</code></pre>"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
        (
            "<@5> <#6>",
            '<p><span class="mention">@user 5</span> <button class="mention" type="button">#channel 6</button></p>',
        ),
    ],
)
def test_markdown(page: Page, text: str, html: str) -> None:
    rendered = page.evaluate(
        """async (text) => {
            const { markdown } = await import("/page/markdown.js");
            const names = { user: (id) => `user ${id}`, channel: (id) => `channel ${id}`, sign: () => "#" };
            return markdown(text, names).innerHTML;
        }""",
        text,
    )
    assert rendered == html


def test_moments_are_told_in_virtual_time(page: Page) -> None:
    texts = page.evaluate(
        """async () => {
            const { tick, written } = await import("/page/markdown.js");
            tick(1000000, "en-US", document.createElement("p"));
            return [1000000 + 86400, 1000000 - 7200, 1000000 + 90].map((at) => written(at, "R"));
        }"""
    )
    assert texts == ["tomorrow", "2 hours ago", "in 2 minutes"]


def test_a_port_that_is_taken_is_said_in_one_line(address: str, tmp_path: Path) -> None:
    port = address.rstrip("/").rpartition(":")[2]
    (tmp_path / "discord.json").write_text("kept")
    command = [sys.executable, "-m", "bot", "sandbox", "--port", port, "--data", str(tmp_path), "--fresh"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [f"war-galley: port {port} is taken; choose another with --port"]
    assert (tmp_path / "discord.json").read_text() == "kept"


@pytest.mark.parametrize("left", ["discord.json", "games.sqlite"])
def test_what_cannot_be_opened_is_said_in_one_line(tmp_path: Path, left: str) -> None:
    (tmp_path / left).write_text("{}")
    command = [sys.executable, "-m", "bot", "sandbox", "--port", "0", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "--fresh" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [left]


def test_an_answer_is_shown_wherever_one_was_reading(page: Page) -> None:
    open_thread(page)
    page.locator("#messages").evaluate("log => log.scrollTop = 0")
    page.locator("#write").fill("/galley status")
    page.keyboard.press("Enter")
    press(page, page.locator("form.command .primary"))
    expect(page.locator(".message.ephemeral").last).to_be_in_viewport()


def test_the_first_page_invites_with_pictures_and_the_panel_stands_below_what_all_are_told(
    browser: Browser, tmp_path: Path
) -> None:
    with sandbox(tmp_path) as address, opened(browser, address, width=400, height=800) as page:
        expect(page.locator("#guide[open]")).to_have_count(0)
        expect(page.locator("#messages .gallery img")).to_have_count(min(len(RULESETS), MAX_PICTURES))
        expect(page.locator("#messages")).to_have_js_property("scrollTop", 0)  # read from its first line
        page.locator("#language").click()
        expect(button(page, "^▶ War Galley$")).to_be_in_viewport()
        page.locator("#language").click()
        expect(button(page, "^Play War Galley$")).to_be_in_viewport()
        expect(button(page, "^Start lesson 1$")).to_be_in_viewport()  # the last
        open_guide(page)
        press(page, button(page, "^Play War Galley$"))
        expect(page.locator("#guide[open]")).to_have_count(0)
        expect(page.locator(".channel.dm .badge")).to_have_count(0)
        expect(page.locator("#messages")).to_contain_text("The game has started")
        expect(page.locator("#messages article").last).to_have_class(re.compile("ephemeral"))
        expect(button(page, "^Hint$")).to_be_in_viewport()
        expect(page.locator(".message.ephemeral").last.locator(".button").last).to_be_in_viewport()


def test_lists_of_a_form_are_chosen_from_in_a_line_each(page: Page) -> None:
    begin_alone(page)
    play_to_round(page, 1)
    press(page, button(page, "^More"))
    press(page, button(page, "orders"))
    lists = page.locator("#form[open] select")
    assert lists.count() >= 3
    assert page.locator("#form").evaluate("form => form.scrollHeight <= form.clientHeight")
    first = page.get_by_role("combobox", name="Order 1")
    first.select_option(label="F forward")
    press(page, page.locator("#form .primary"))
    expect(page.locator("#form[open]")).to_have_count(0)
    expect(page.locator("#messages article").last).to_contain_text("A1 F")


def test_what_comes_below_a_private_answer_is_offered_and_a_late_picture_moves_nothing(page: Page) -> None:
    open_thread(page)
    log = page.locator("#messages")
    expect(page.locator("#news")).to_be_hidden()
    log.evaluate("log => log.scrollTop = 0")
    expect(page.locator("#news")).to_be_visible()
    press(page, page.locator("#news"))
    expect(page.locator("#news")).to_be_hidden()
    expect(page.locator("#messages > article").last).to_be_in_viewport()
    grow = "image => { image.style.height = image.style.maxHeight = '900px'; image.src += '?late' }"
    log.locator("img").last.evaluate(grow)
    expect(page.locator("#messages > article").last).to_be_in_viewport()
