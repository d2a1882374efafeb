import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameReader } from './stream.ts';

const stream =
  'id: 7\nevent: message.changed\ndata: {"id":"msg_1"}\n\n:\n\n' +
  'id: 8\r\nevent: reset\r\ndata: 8\r\n\r\n' +
  'event: two.lines\ndata: a\ndata:b\n\n';

const frames = [
  { position: 7, event: 'message.changed', data: '{"id":"msg_1"}' },
  { position: 8, event: 'reset', data: '8' },
  { position: undefined, event: 'two.lines', data: 'a\nb' },
];

test('reads a stream as frames, ignoring comments', () => {
  expect(frameReader()(stream)).toEqual(frames);
});

test('reads a stream the same wherever the network splits it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: stream.length }), { maxLength: 12 }), (cuts) => {
      const read = frameReader();
      const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const got = places.flatMap((from, index) => read(stream.slice(from, places[index + 1])));
      expect(got).toEqual(frames);
    }),
  );
});

test('buffers an incomplete frame', () => {
  const read = frameReader();
  expect(read('id: 3\ndata: half')).toEqual([]);
  expect(read(' more\n\n')).toEqual([{ position: 3, event: 'message', data: 'half more' }]);
});

test('ignores an id that is not a position', () => {
  expect(frameReader()('id: ../7\ndata: x\n\n')).toEqual([
    { position: undefined, event: 'message', data: 'x' },
  ]);
});

test('rejects an endless line instead of buffering it', () => {
  expect(() => frameReader()('x'.repeat(300_000))).toThrow(RangeError);
});
