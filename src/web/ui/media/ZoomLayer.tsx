import { Maximize2, Minimize2 } from 'lucide-react';
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { Controlled } from 'react-medium-image-zoom';
import styles from '#web/ui/media/ImageZoom.module.css';
import { classes } from '#web/ui/classes.ts';

export type ZoomState = 'UNLOADED' | 'LOADING' | 'LOADED' | 'UNLOADING';

type Props = {
  expandText: string;
  minimizeText: string;
  disabled: boolean;
  onState: ((state: ZoomState) => void) | undefined;
  /** The address of the full picture, if a small one is shown. */
  whole: string | undefined;
  children: ReactNode;
};

const SWIPE_PX = 10;
const MARGIN_PX = 16;
/** The stylesheet's 300 ms and the 50 ms that the library gives a transition to end. */
const LOADING_MS_MAX = 350;

const ZoomListener = createContext<(state: ZoomState) => void>(() => undefined);

/** The zoom of a picture; loaded by `ImageZoom`. */
export function ZoomLayer(props: Props) {
  const { expandText, minimizeText, disabled, onState, whole, children } = props;
  const [zoomed, setZoomed] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const newest = useRef(onState);
  useEffect(() => {
    newest.current = onState;
  });
  const notify = useCallback((state: ZoomState) => newest.current?.(state), []);
  const change = (next: boolean, { event }: { event: { type: string; target: unknown } }) => {
    if (!next && event.type === 'close' && isOpen(event.target)) return;
    // A click on the picture focuses nothing: focus the button, so that closing restores it.
    const button = place.current?.querySelector<HTMLElement>('[data-rmiz-btn-zoom]');
    if (next) button?.focus({ preventScroll: true });
    setZoomed(next);
  };
  return (
    <ZoomListener value={notify}>
      <div ref={place} className={classes('block w-fit max-w-full', styles['place'])}>
        <Controlled
          isZoomed={zoomed}
          onZoomChange={change}
          isDisabled={disabled}
          a11yNameButtonZoom={expandText}
          a11yNameButtonUnzoom={minimizeText}
          swipeToUnzoomThreshold={SWIPE_PX}
          zoomMargin={MARGIN_PX}
          classDialog={styles['dialog'] ?? ''}
          IconZoom={Grow}
          IconUnzoom={Shrink}
          ZoomContent={Content}
          {...(whole !== undefined && { zoomImg: { src: whole } })}
        >
          {children}
        </Controlled>
      </div>
    </ZoomListener>
  );
}

/** A dialog's close event comes late, when it may be open again: such an event is outdated. */
const isOpen = (dialog: unknown) => dialog instanceof HTMLDialogElement && dialog.open;

const Grow = () => <Maximize2 size={18} />;
const Shrink = () => <Minimize2 size={20} />;

type ContentProps = { img: ReactElement | null; buttonUnzoom: ReactElement; modalState: ZoomState };

function Content({ img, buttonUnzoom, modalState }: ContentProps) {
  const place = useRef<HTMLDivElement>(null);
  const notify = use(ZoomListener);
  useEffect(() => notify(modalState), [notify, modalState]);
  useEffect(() => {
    if (modalState !== 'LOADING') return;
    // A picture shown at its full size does not move, so no transition would end.
    const timer = setTimeout(() => {
      const picture = place.current?.querySelector('[data-rmiz-modal-img]');
      picture?.dispatchEvent(new TransitionEvent('transitionend', { bubbles: true }));
    }, LOADING_MS_MAX);
    return () => clearTimeout(timer);
  }, [modalState]);
  return useMemo(
    () => (
      <div ref={place} className="contents" data-state={modalState.toLowerCase()}>
        {img}
        {buttonUnzoom}
      </div>
    ),
    [img, buttonUnzoom, modalState],
  );
}
