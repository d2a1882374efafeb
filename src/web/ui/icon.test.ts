import { renderToStaticMarkup } from 'react-dom/server';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { createIcon } from '#web/ui/icon.ts';

const Dot = createIcon({ node: [['circle', { cx: '12', cy: '12', r: '1' }]] });

test('draws the shapes of an icon at its size, with the attributes given', () => {
  const drawn = renderToStaticMarkup(createElement(Dot, { size: 18, className: 'mark' }));
  expect(drawn).toContain('width="18" height="18" viewBox="0 0 24 24"');
  expect(drawn).toContain('class="mark"');
  expect(drawn).toContain('<circle cx="12" cy="12" r="1"></circle>');
});

test('hides an icon from screen readers unless it has a label', () => {
  expect(renderToStaticMarkup(createElement(Dot))).toContain('aria-hidden="true"');
  const labelled = renderToStaticMarkup(createElement(Dot, { 'aria-label': 'menjadi' }));
  expect(labelled).not.toContain('aria-hidden');
});
