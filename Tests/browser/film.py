#!/usr/bin/env python3
"""Makes docs/console.gif, the moving picture of the README: the console and a display of the same
session, in which a tap on one moves the other.

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

#: The windows, and how large they are in the picture.
CONSOLE, DISPLAY = (1280, 820), (400, 718)
SHOWN = ((896, 574), (320, 574))
MARGIN, GAP, COLORS = 20, 24, 255
GROUND, TAP = "#e4e5ee", (75, 69, 214)


class Film:
    def __init__(self, console, display):
        self.console, self.display = console, display
        self.frames, self.times = [], []

    def frame(self, milliseconds, tap=None):
        """Takes a picture of both pages to show for so long. `tap` is a page and a place on it."""
        width = sum(shown[0] for shown in SHOWN) + GAP + 2 * MARGIN
        picture = Image.new("RGB", (width, SHOWN[0][1] + 2 * MARGIN), GROUND)
        x = MARGIN
        for page, shown, size in ((self.console, SHOWN[0], CONSOLE), (self.display, SHOWN[1], DISPLAY)):
            part = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
            corners = Image.new("L", size, 0)
            ImageDraw.Draw(corners).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), 18, 255)
            picture.paste(part.resize(shown, Image.Resampling.LANCZOS), (x, MARGIN), corners.resize(shown))
            if tap and tap[0] is page:
                ring = ImageDraw.Draw(picture, "RGBA")
                at = (x + tap[1][0] * shown[0] / size[0], MARGIN + tap[1][1] * shown[1] / size[1])
                ring.ellipse((at[0] - 15, at[1] - 15, at[0] + 15, at[1] + 15), TAP + (70,), TAP + (255,), 3)
            x += shown[0] + GAP
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
        palette = whole.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in self.frames]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=self.times, loop=0, optimize=True)


def page(browser, url, size):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
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
            film.tap(display, "New Post")
            film.tap(console, "Undo")
            film.tap(console, "Search tab")
            film.tap(display, re.compile("Profile"))
            film.tap(console, "Home tab")
            film.tap(display, "Back to Home")
            film.tap(console, "Undo")
            film.save(options.out / "console.gif")
            browser.close()
    finally:
        demo.end()
    size = (options.out / "console.gif").stat().st_size
    print(f"{len(film.frames)} frames, {size / 1e6:.2f} MB")
    assert size < 1_500_000


if __name__ == "__main__":
    main()
