import { expect, test } from 'vitest';
import { writtenPeer } from '#contract/messages/peer.ts';
import {
  initialPhone,
  readPhone,
  rememberPhone,
  withPhone,
} from '#web/features/simulator/phones.ts';

test('a phone is found in any notation of its number', () => {
  expect(readPhone('0812-3456-7890')).toBe('6281234567890');
  expect(readPhone('+62 812 3456 7890')).toBe('6281234567890');
  expect(readPhone('halo')).toBeUndefined();
  expect(readPhone(undefined)).toBeUndefined();
});

test('without a phone in the address, the own one comes before the last one', () => {
  rememberPhone('6281299990002');
  expect(initialPhone(undefined, '6281299990001')).toBe('6281299990001');
  expect(initialPhone('0812-9999-0003', '6281299990001')).toBe('6281299990003');
  expect(initialPhone(undefined)).toBe('6281299990002');
});

test('a phone that is opened again moves to the front and is remembered once', () => {
  expect(withPhone(['628111', '628222'], '628222')).toEqual(['628222', '628111']);
  const six = ['1', '2', '3', '4', '5', '6'];
  expect(withPhone(six, '7')).toEqual(['7', '1', '2', '3', '4', '5']);
});

test('a phone abroad whose number begins with 8 keeps its number in the address', () => {
  const phone = initialPhone('+852 9123 4567');
  expect(phone).toBe('85291234567');
  expect(initialPhone(writtenPeer(phone))).toBe(phone);
});
