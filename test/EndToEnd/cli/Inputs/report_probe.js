// Uses the page as people do and leaves what it saw in <pre id="seen">.
(async () => {
  const seen = { errors: window.probeErrors, width: innerWidth };
  const settle = () => new Promise(done => setTimeout(done, 20));
  const plot = id => document.getElementById(id);
  const tip = document.getElementById('tip');
  const key = async (element, name) => {
    element.dispatchEvent(new KeyboardEvent('keydown',
      { key: name, bubbles: true, cancelable: true }));
    await settle();
  };
  const now = id => +plot(id).getAttribute('aria-valuenow');

  seen.head = document.querySelector('header').innerText;
  seen.overflow = document.documentElement.scrollWidth - innerWidth;
  // The smallest letters of a picture, in pixels on the screen.
  seen.letters = [...document.querySelectorAll('svg')]
    .filter(svg => svg.getBoundingClientRect().width)
    .map(svg => 12 * svg.getBoundingClientRect().width /
      svg.viewBox.baseVal.width);
  seen.ground = getComputedStyle(document.body).backgroundColor;
  seen.ink = getComputedStyle(document.body).color;

  // Keyboard.
  plot('memory').focus();
  await settle();
  seen.focusTip = tip.innerText;
  await key(plot('memory'), 'Home');
  const home = now('memory');
  await key(plot('memory'), 'ArrowRight');
  seen.arrow = now('memory') - home;
  seen.words = plot('memory').getAttribute('aria-valuetext');
  await key(plot('memory'), '+');
  seen.zoomed = +plot('memory').getAttribute('aria-valuemax');
  seen.focusKept = document.activeElement.id;
  await key(plot('memory'), 'Escape');
  seen.unzoomed = +plot('memory').getAttribute('aria-valuemax');
  plot('placement').focus();
  await key(plot('placement'), 'ArrowUp');
  await key(plot('placement'), 'ArrowUp');
  seen.marked = document.querySelectorAll('.buffer.on').length;
  seen.bufferTip = tip.innerText;
  seen.unfocusable = [...document.querySelectorAll('button, .plot, .scroll')]
    .filter(e => e.tabIndex < 0).length;

  // Pointer.
  const buffer = document.querySelector('#placement .buffer[data-n="0"]');
  const box = buffer.getBoundingClientRect();
  buffer.dispatchEvent(new PointerEvent('pointermove', { bubbles: true,
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }));
  await settle();
  seen.pointerTip = tip.innerText;

  // Tables.
  const tables = [...document.querySelectorAll('main table')];
  seen.names = [...tables[tables.length - 1].tBodies[0].rows]
    .map(row => row.cells[0].textContent);
  const head = tables[0].querySelector('th:nth-child(2) button');
  head.click();
  seen.sorted = head.closest('th').getAttribute('aria-sort');

  // The curve.
  const chart = [...document.querySelectorAll('.chart')]
    .find(svg => svg.getBoundingClientRect().width);
  const plotBox = chart.getBoundingClientRect();
  seen.ring = chart.querySelectorAll('.programring').length;
  seen.dots = [...chart.querySelectorAll('.dot')].map(dot => {
    const at = dot.getBoundingClientRect();
    return at.top >= plotBox.top && at.bottom <= plotBox.bottom &&
      at.left >= plotBox.left && at.right <= plotBox.right;
  });
  const out = document.createElement('pre');
  out.id = 'seen';
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
})();
