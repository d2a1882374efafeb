export type Frame = {
  /** The account's position after it; `undefined` when the frame carries none. */
  position: number | undefined;
  event: string;
  data: string;
};

/** A longer line is not from our server: the stream is dropped instead of buffered. */
const LINE_MAX = 262_144;

/**
 * Parses `text/event-stream` incrementally: takes chunks split anywhere, returns the completed frames. Comments are
 * ignored.
 *
 * @throws RangeError when a line has no end (over 256 kB).
 */
export function frameReader(): (text: string) => Frame[] {
  let rest = '';
  let frame = emptyFrame();
  return (text) => {
    rest += text;
    const frames: Frame[] = [];
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(rest);
      if (!end) break;
      const line = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      if (line !== '') addLine(frame, line);
      else {
        if (frame.lines.length > 0) frames.push(wholeFrame(frame));
        frame = emptyFrame();
      }
    }
    if (rest.length > LINE_MAX) throw new RangeError('event stream: line too long');
    return frames;
  };
}

type Building = { position: number | undefined; event: string; lines: string[] };

const emptyFrame = (): Building => ({ position: undefined, event: 'message', lines: [] });

const wholeFrame = ({ position, event, lines }: Building): Frame => ({
  position,
  event,
  data: lines.join('\n'),
});

function addLine(frame: Building, line: string): void {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') frame.event = value;
  else if (field === 'data') frame.lines.push(value);
  else if (field === 'id' && /^\d{1,15}$/.test(value)) frame.position = Number(value);
}
