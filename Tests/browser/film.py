#!/usr/bin/env python3
"""Makes docs/console.gif, the moving picture of the README, and docs/console-light.png and -dark.png:
the console and a display of the same session, in which a tap on one moves the other.

    python3 Tests/browser/film.py --server .build/release/navstate [--out docs]

Needs Pillow besides what the other files here need.
"""
import argparse
import io
import pathlib
import re

from PIL import Image, ImageDraw
from playwright.sync_api import expect, sync_playwright

from display_test import Demo

CONSOLE, DISPLAY = (820, 620), (340, 620)
MARGIN, GAP, COLORS = 20, 24, 64
GROUND, TAP = "#e4e5ee", (75, 69, 214)


class Film:
    def __init__(self, console, display):
        self.console, self.display = console, display
        self.frames, self.times = [], []

    def frame(self, milliseconds, tap=None):
        """What both show now, for that long. `tap` is a page and a place on it."""
        picture = Image.new("RGB", (CONSOLE[0] + DISPLAY[0] + GAP + 2 * MARGIN, CONSOLE[1] + 2 * MARGIN), GROUND)
        x = MARGIN
        for page, (width, height) in ((self.console, CONSOLE), (self.display, DISPLAY)):
            part = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
            corners = Image.new("L", (2 * width, 2 * height), 0)
            ImageDraw.Draw(corners).rounded_rectangle((0, 0, 2 * width - 1, 2 * height - 1), 24, 255)
            picture.paste(part, (x, MARGIN), corners.resize((width, height)))
            if tap and tap[0] is page:
                ring = ImageDraw.Draw(picture, "RGBA")
                at = (x + tap[1][0], MARGIN + tap[1][1])
                ring.ellipse((at[0] - 17, at[1] - 17, at[0] + 17, at[1] + 17), TAP + (70,), TAP + (255,), 3)
            x += width + GAP
        self.frames.append(picture)
        self.times.append(milliseconds)

    def tap(self, page, name):
        """Shows where, taps, and shows what has become of it on both."""
        target = page.get_by_role("button", name=name).first
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        revision = self.revision()
        self.frame(500, (page, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)))
        target.click()
        expect(self.console.locator(".stage-name .dim").first).not_to_contain_text(f"revision {revision} ", timeout=5_000)
        self.console.mouse.move(1, CONSOLE[1] - 1)
        self.display.mouse.move(1, 1)
        self.console.wait_for_timeout(600)
        self.frame(1_400)

    def revision(self):
        return re.search(r"revision (\d+)", self.console.locator(".stage-name .dim").first.inner_text())[1]

    def save(self, path):
        """All frames with the colors of all of them, so that only what changes is stored."""
        whole = Image.new("RGB", (self.frames[0].width, self.frames[0].height * len(self.frames)))
        for number, picture in enumerate(self.frames): whole.paste(picture, (0, number * picture.height))
        palette = whole.quantize(COLORS, dither=Image.Dither.NONE)
        frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in self.frames]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=self.times, loop=0, optimize=True)


def page(browser, url, size, scheme="light"):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page = context.new_page()
    page.goto(url)
    return page


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "docs")
    options = parser.parse_args()
    demo = Demo(options.server)
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            console = page(browser, f"{demo.url}/#session=demo", CONSOLE)
            display = page(browser, f"{demo.url}/display#session=demo", DISPLAY)
            expect(console.locator("#status")).to_have_text("Live")
            console.wait_for_timeout(1_500)
            film = Film(console, display)
            film.frame(1_200)
            film.tap(console, re.compile("Push Profile"))
            film.tap(display, re.compile("Search"))
            film.tap(console, re.compile("Present New Post"))
            film.tap(console, "Undo")
            film.tap(display, re.compile("Home"))
            film.tap(display, re.compile("^(Back|Post|Home)"))
            film.save(options.out / "console.gif")
            for scheme in ("light", "dark"):
                wide = page(browser, f"{demo.url}/#session=demo", (1280, 800), scheme)
                expect(wide.locator("#status")).to_have_text("Live")
                wide.wait_for_timeout(1_000)
                wide.screenshot(path=options.out / f"console-{scheme}.png", animations="disabled")
            browser.close()
    finally:
        demo.end()
    size = (options.out / "console.gif").stat().st_size
    print(f"{len(film.frames)} frames, {size / 1e6:.2f} MB")
    assert size < 1_500_000


if __name__ == "__main__":
    main()
