import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameReader } from './frames.ts';

const stream =
  'id: 7\nevent: message.changed\ndata: {"id":"msg_1"}\n\n:\n\n' +
  'id: 8\r\nevent: reset\r\ndata: 8\r\n\r\n' +
  'event: two.lines\ndata: a\ndata:b\n\n';

const frames = [
  { position: 7, event: 'message.changed', data: '{"id":"msg_1"}' },
  { position: 8, event: 'reset', data: '8' },
  { position: undefined, event: 'two.lines', data: 'a\nb' },
];

test('a stream is read as its frames, and comments are silent', () => {
  expect(frameReader()(stream)).toEqual(frames);
});

test('it does not matter where the network cuts a stream', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: stream.length }), { maxLength: 12 }), (cuts) => {
      const read = frameReader();
      const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const got = places.flatMap((from, index) => read(stream.slice(from, places[index + 1])));
      expect(got).toEqual(frames);
    }),
  );
});

test('a frame that has not ended yet is buffered, not delivered', () => {
  const read = frameReader();
  expect(read('id: 3\ndata: half')).toEqual([]);
  expect(read(' more\n\n')).toEqual([{ position: 3, event: 'message', data: 'half more' }]);
});

test('an id that is no position is not taken for one', () => {
  expect(frameReader()('id: ../7\ndata: x\n\n')).toEqual([
    { position: undefined, event: 'message', data: 'x' },
  ]);
});

test('a line without an end is refused instead of collected', () => {
  expect(() => frameReader()('x'.repeat(300_000))).toThrow(RangeError);
});
