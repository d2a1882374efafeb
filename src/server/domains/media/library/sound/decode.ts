import { open } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type CodecParserClass from 'codec-parser';
import type { OggPage, OpusHeader } from 'codec-parser';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import type { Sound, SoundRequest } from './listen.ts';

// Its types declare the class as the module's own value, but the module has a default export.
const { default: CodecParser } = (await import('codec-parser')) as unknown as {
  default: typeof CodecParserClass;
};

/** Enough for a waveform, at a sixth of the work of 48,000. */
const OPUS_RATE = 8_000;
const CHUNK_BYTES = 1 << 16;
/**
 * Packets of silence take one or two bytes, so a file within the size limit may claim to last for weeks.
 */
const SECONDS_MAX = 3 * 3_600;

class TooLongError extends Error {}

/** Takes the bytes of a file chunk by chunk; call it without a chunk at the end. */
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
        meter.addSamples(decoder.decodeFrames(codecFrames.map(({ data }) => data)).channelData);
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
      meter.addSamples(channelData);
      checkLength(meter);
    },
    meter: () => meter,
  };
}

function checkLength(meter: Meter): void {
  if (meter.seconds() > SECONDS_MAX) throw new TooLongError();
}

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
  // A sound that cannot be decoded has no waveform; the reason does not help the sender.
  void soundOf(request)
    .catch(() => undefined)
    .then((sound) => parentPort?.postMessage(sound));
});

export const BARS = 64;

/** Parts of a second over which loudness is averaged: shorter than a syllable. */
const BLOCKS_A_SECOND = 50;

/** Quieter than this counts as silence (−60 dB), so that noise is not scaled up to full bars. */
const SILENCE = 0.001;

/** Measures a sound while it is decoded; it stores only the loudness. */
type Meter = {
  /** One array of equal length for each channel, with samples from −1 to 1. */
  addSamples(channels: readonly Float32Array[]): void;
  seconds(): number;
  /** Loudness in `BARS` parts of equal length: 0 to 100, the loudest 100; all 0 for silence. */
  bars(): number[];
};

export function openMeter(sampleRate: number): Meter {
  const blockSamples = Math.max(1, Math.round(sampleRate / BLOCKS_A_SECOND));
  const blocks: number[] = [];
  let [heard, inBlock, energy] = [0, 0, 0];
  const endBlock = () => {
    blocks.push(Math.sqrt(energy / inBlock));
    [inBlock, energy] = [0, 0];
  };
  return {
    addSamples(channels) {
      const length = channels[0]?.length ?? 0;
      for (let at = 0; at < length; at++) {
        let power = 0;
        for (const channel of channels) power += (channel[at] ?? 0) ** 2;
        energy += power / channels.length;
        inBlock += 1;
        if (inBlock === blockSamples) endBlock();
      }
      heard += length;
    },
    seconds: () => heard / sampleRate,
    bars: () => barsOf(inBlock > 0 ? [...blocks, Math.sqrt(energy / inBlock)] : blocks),
  };
}

function barsOf(blocks: readonly number[]): number[] {
  const loudest = blocks.reduce((most, one) => Math.max(most, one), 0);
  return Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * blocks.length) / BARS);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * blocks.length) / BARS));
    const loud = blocks.slice(from, to).reduce((most, one) => Math.max(most, one), 0);
    return loudest > SILENCE ? Math.round((loud / loudest) * 100) : 0;
  });
}
