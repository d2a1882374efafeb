/** Where moving pictures can come from. */
export type VideoSource = 'camera' | 'screen';

type Policy = { allowsFeature: (feature: string) => boolean };

/** What the page's own policy says of a power; browsers that cannot tell are asked by using it. */
function allowed(feature: string): boolean {
  const { featurePolicy } = document as { featurePolicy?: Policy };
  return featurePolicy?.allowsFeature(feature) ?? true;
}

/** The sources of moving pictures that this browser has and this page may use. */
export function videoSources(): readonly VideoSource[] {
  // Missing altogether where a page is not trusted: on plain http, away from localhost.
  const { mediaDevices } = navigator as { mediaDevices?: Partial<MediaDevices> };
  const kinds: VideoSource[] = [];
  if (mediaDevices?.getUserMedia && allowed('camera')) kinds.push('camera');
  if (mediaDevices?.getDisplayMedia && allowed('display-capture')) kinds.push('screen');
  return kinds;
}

/** Opens a source; the browser asks the person first. */
export const openVideoSource = (kind: VideoSource): Promise<MediaStream> =>
  kind === 'camera'
    ? navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false })
    : navigator.mediaDevices.getDisplayMedia({ video: true, audio: false });
