export type VideoSource = 'camera' | 'screen';

type Policy = { allowsFeature: (feature: string) => boolean };

/** Whether the page's own policy allows a feature; a browser that cannot tell finds out on use. */
function allowed(feature: string): boolean {
  const { featurePolicy } = document as { featurePolicy?: Policy };
  return featurePolicy?.allowsFeature(feature) ?? true;
}

export function videoSources(): readonly VideoSource[] {
  // Undefined in an insecure context: on plain http, away from localhost.
  const { mediaDevices } = navigator as { mediaDevices?: Partial<MediaDevices> };
  const kinds: VideoSource[] = [];
  if (mediaDevices?.getUserMedia && allowed('camera')) kinds.push('camera');
  if (mediaDevices?.getDisplayMedia && allowed('display-capture')) kinds.push('screen');
  return kinds;
}

export const openVideoSource = (kind: VideoSource): Promise<MediaStream> =>
  kind === 'camera'
    ? navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false })
    : navigator.mediaDevices.getDisplayMedia({ video: true, audio: false });
