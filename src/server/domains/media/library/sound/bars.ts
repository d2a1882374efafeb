/** Bars of a waveform. */
export const BARS = 64;

/** Parts of a second over which loudness is averaged: shorter than a syllable. */
const BLOCKS_A_SECOND = 50;

/** Quieter than this is silence (−60 dB): it is not drawn as if it were loud. */
const SILENCE = 0.001;

/** Measures a sound as it is decoded; what is heard is forgotten but for its loudness. */
export type Meter = {
  /** Hears the next samples, one array of equal length for each channel, each −1 to 1. */
  hear(channels: readonly Float32Array[]): void;
  seconds(): number;
  /** How loud it was in `BARS` parts of equal length: 0 to 100, the loudest 100; all 0 when nothing is heard. */
  bars(): number[];
};

/** @param sampleRate samples of a channel a second. */
export function openMeter(sampleRate: number): Meter {
  const blockSamples = Math.max(1, Math.round(sampleRate / BLOCKS_A_SECOND));
  const blocks: number[] = [];
  let [heard, inBlock, energy] = [0, 0, 0];
  const endBlock = () => {
    blocks.push(Math.sqrt(energy / inBlock));
    [inBlock, energy] = [0, 0];
  };
  return {
    hear(channels) {
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
