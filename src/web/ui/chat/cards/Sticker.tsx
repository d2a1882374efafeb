import styles from '#web/ui/chat/cards/cards.module.css';
import { BrokenPicture } from '#web/ui/media/BrokenPicture.tsx';
import { useBroken } from '#web/ui/media/useBroken.ts';

/** A sticker: no bubble, and not zoomable. */
export function Sticker({ src, alt }: { src: string; alt: string }) {
  const { broken, fail, retry } = useBroken(src);
  return broken ? (
    <BrokenPicture alt={alt} className={styles['sticker']} onRetry={retry} />
  ) : (
    <img src={src} alt={alt} loading="lazy" className={styles['sticker']} onError={fail} />
  );
}
