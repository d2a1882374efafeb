/** How loud a sound is in 64 parts of equal length, 0 to 100, and how long it is. */
export type Sound = { waveform: readonly number[]; seconds: number };

/** What can be heard of a sound; undefined where nothing here can decode it. */
export async function listenTo(_path: string, _mime: string): Promise<Sound | undefined> {
  return undefined;
}
