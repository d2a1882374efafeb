import { later } from '#web/browser/lazyComponent.ts';
import { Suspense, type ComponentPropsWithoutRef } from 'react';
import { BrokenPicture } from '#web/ui/media/BrokenPicture.tsx';
import styles from '#web/ui/media/ImageZoom.module.css';
import type { ZoomState } from '#web/ui/media/ZoomLayer.tsx';
import { useBroken } from '#web/ui/media/useBroken.ts';
import { classes } from '#web/ui/classes.ts';

type Props = Omit<ComponentPropsWithoutRef<'img'>, 'alt' | 'src'> & {
  src: string;
  /** A small version, shown until it is opened. */
  preview?: string | undefined;
  /** The alternative text of the picture, the dialog's name and, after `expandText`, the button's. */
  alt: string;
  expandText?: string;
  minimizeText?: string;
  /** Neither opens nor closes. */
  disabled?: boolean;
  /** Called with each state: unloaded, loading, loaded, unloading. */
  onState?: (state: ZoomState) => void;
};

const Zoom = later(() => import('#web/ui/media/ZoomLayer.tsx'));

/**
 * A picture that opens over the page, by a click or its button. Escape, the wheel, a vertical swipe, the backdrop and
 * the button close it. Pinch zoom is left to the browser. The code loads on demand; until then it is a plain picture. A
 * picture that fails to load has a retry.
 */
export function ImageZoom(props: Props) {
  const { expandText = 'Expand image', minimizeText = 'Minimize image', ...rest } = props;
  const { disabled = false, onState, className, onError, preview, ...image } = rest;
  const { broken, fail, retry } = useBroken(preview ?? props.src);
  if (broken) {
    const { alt, width } = props;
    return <BrokenPicture alt={alt} className={className} width={width} onRetry={retry} />;
  }
  const picture = (
    <img
      {...image}
      src={preview ?? props.src}
      alt={props.alt}
      className={classes('block', styles['picture'], className)}
      onError={(event) => {
        fail();
        onError?.(event);
      }}
    />
  );
  return (
    <Suspense fallback={picture}>
      <Zoom
        expandText={expandText}
        minimizeText={minimizeText}
        disabled={disabled}
        onState={onState}
        whole={preview === undefined ? undefined : props.src}
      >
        {picture}
      </Zoom>
    </Suspense>
  );
}
