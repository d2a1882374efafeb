import { expect, test } from 'vitest';
import { isShortLink, placeIn } from './mapLink.ts';

const monas = { latitude: -6.175392, longitude: 106.827153 };

test('reads a location from map addresses and common notations', () => {
  const written = [
    '-6.175392, 106.827153',
    ' -6.175392 106.827153 ',
    'geo:-6.175392,106.827153?z=17',
    'https://www.google.com/maps?q=-6.175392,106.827153',
    'https://www.google.com/maps/search/?api=1&query=-6.175392%2C106.827153',
    'https://www.google.com/maps/@-6.175392,106.827153,17z',
    'https://www.google.com/maps/place/Monas/@-6.1,106.8,15z/data=!4m6!3d-6.175392!4d106.827153',
    'https://maps.apple.com/?ll=-6.175392,106.827153&t=m',
    'https://www.openstreetmap.org/?mlat=-6.175392&mlon=106.827153#map=17/1/2',
    'https://www.openstreetmap.org/#map=17/-6.175392/106.827153',
  ];
  expect(written.map(placeIn)).toEqual(written.map(() => monas));
});

test('returns nothing for text without a location', () => {
  const others = [
    '',
    'Jalan Melati 5',
    '91, 10',
    '10, 181',
    '0812-3456-7890',
    'https://contoh.id/',
  ];
  expect(others.map(placeIn)).toEqual(others.map(() => undefined));
  expect(isShortLink('https://maps.app.goo.gl/abc')).toBe(true);
  expect(isShortLink('https://www.google.com/maps?q=1,2')).toBe(false);
});
