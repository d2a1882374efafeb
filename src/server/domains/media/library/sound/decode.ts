import { open } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type CodecParserClass from 'codec-parser';
import type { OggPage, OpusHeader } from 'codec-parser';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import { type Meter, openMeter } from './bars.ts';
import type { Sound, SoundRequest } from './listen.ts';

// Its types declare the class as the module's own value; what is there is a module with a default.
const { default: CodecParser } = (await import('codec-parser')) as unknown as {
  default: typeof CodecParserClass;
};

/** Enough for the shape of a sound, and a sixth of the work of 48,000. */
const OPUS_RATE = 8_000;
const CHUNK_BYTES = 1 << 16;
/** Packets of silence are a byte or two: a file within its limit may claim to last for weeks. */
const SECONDS_MAX = 3 * 3_600;

class TooLongError extends Error {}

/** Takes bytes of a file as they are read; without any at its end. */
type Decoder = { decode(chunk?: Uint8Array): Promise<void>; meter(): Meter | undefined };

function opusDecoder(): Decoder {
  const parser = new CodecParser<OggPage>('audio/ogg', { enableFrameCRC32: false });
  let decoder: OpusDecoder<typeof OPUS_RATE> | undefined;
  const meter = openMeter(OPUS_RATE);
  return {
    async decode(chunk) {
      const pages = chunk === undefined ? parser.flush() : parser.parseChunk(chunk);
      for (const { codecFrames } of Iterator.from(pages)) {
        const [first] = codecFrames;
        if (first === undefined) continue;
        decoder ??= await decoderOf(first.header as OpusHeader);
        meter.hear(decoder.decodeFrames(codecFrames.map(({ data }) => data)).channelData);
        checkLength(meter);
      }
    },
    meter: () => meter,
  };
}

async function decoderOf({ channels, preSkip, ...header }: OpusHeader) {
  const decoder = new OpusDecoder({
    sampleRate: OPUS_RATE,
    channels,
    streamCount: header.streamCount,
    coupledStreamCount: header.coupledStreamCount,
    channelMappingTable: header.channelMappingTable,
    preSkip: Math.round((preSkip / 48_000) * OPUS_RATE),
  });
  await decoder.ready;
  return decoder;
}

function mpegDecoder(): Decoder {
  const decoder = new MPEGDecoder();
  let meter: Meter | undefined;
  return {
    async decode(chunk) {
      if (chunk === undefined) return;
      await decoder.ready;
      const { channelData, sampleRate, samplesDecoded } = decoder.decode(chunk);
      if (samplesDecoded === 0) return;
      meter ??= openMeter(sampleRate);
      meter.hear(channelData);
      checkLength(meter);
    },
    meter: () => meter,
  };
}

function checkLength(meter: Meter): void {
  if (meter.seconds() > SECONDS_MAX) throw new TooLongError();
}

/** Decodes a file piece by piece: no more of it is in memory than that. */
async function soundOf({ path, mime }: SoundRequest): Promise<Sound | undefined> {
  const decoder = mime === 'audio/ogg' ? opusDecoder() : mpegDecoder();
  const file = await open(path, 'r');
  try {
    for await (const chunk of file.createReadStream({
      autoClose: false,
      highWaterMark: CHUNK_BYTES,
    })) {
      await decoder.decode(chunk as Buffer);
    }
    await decoder.decode();
  } finally {
    await file.close();
  }
  const meter = decoder.meter();
  const seconds = meter?.seconds() ?? 0;
  return meter && seconds > 0 ? { waveform: meter.bars(), seconds } : undefined;
}

parentPort?.on('message', (request: SoundRequest) => {
  // What cannot be decoded is a file without a waveform; why, nobody can help.
  void soundOf(request)
    .catch(() => undefined)
    .then((sound) => parentPort?.postMessage(sound));
});
