import clip from '#stories/gallery/media/clip.mp4?url';
import picture from '#stories/gallery/media/kue-lapis.webp?url';
import voiceNote from '#stories/gallery/media/voice-note.ogg?url';

/** A picture of a cake, a clip of 12 s and a voice message of 24 s, for the gallery only. */
export const sampleMedia = { picture, clip, voiceNote } as const;

export const samplePeaks: readonly number[] = Array.from({ length: 96 }, (_, at) =>
  Math.abs(Math.sin(at * 0.55) * 0.6 + Math.sin(at * 0.13) * 0.4),
);
