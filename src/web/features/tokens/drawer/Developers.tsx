import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { civilDate } from '#contract/base/time.ts';
import type { Token } from '#contract/tokens.ts';
import { address } from '#web/browser/router/navigation.ts';
import { useStore } from '#web/browser/store.ts';
import { expiryOf } from '#web/features/tokens/access/labels.ts';
import { CloudIds } from '#web/features/tokens/drawer/CloudIds.tsx';
import { TokenKey } from '#web/features/tokens/drawer/TokenKey.tsx';
import { Samples } from '#web/features/tokens/keys/KeyShown.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { WebhookPart } from '#web/features/webhooks/webhooks.ts';
import { Accordion, AccordionPart } from '#web/ui/disclosure/Accordion.tsx';
import { ListSkeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** Contains the date picker, which the list of tokens does not need. */
const TokenAccessPart = lazy(async () => ({
  default: (await import('#web/features/tokens/access/TokenAccessPart.tsx')).TokenAccessPart,
}));

/** Fragments of the address that open the fold. */
const parts = ['kunci', 'id', 'webhook', 'akses', 'contoh'] as const;
type PartId = (typeof parts)[number];

/**
 * The part for programs, folded. It opens if the fragment of the address names one of its parts, which then has the
 * focus, or if the key expires soon.
 */
export function Developers({ token }: { token: Token }) {
  const { hash } = useStore(address);
  const named = parts.find((part) => hash === `#${part}`);
  const expiry = expiryOf(token, civilDate(new Date()));
  useEffect(() => {
    const target = named && document.getElementById(named);
    if (!target) return;
    // `<dialog>` looks for the attribute when it opens; an open one is left to `focus`.
    target.setAttribute('autofocus', '');
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }, [named]);
  return (
    <Accordion>
      <AccordionPart
        title={<h3>Untuk pengembang</h3>}
        open={named !== undefined || expiry === 'soon' || expiry === 'over'}
      >
        <div className="stack gap-24">
          <p className="muted">
            Untuk menghubungkan sistem Anda lewat API. Mengirim dari Kabari tidak memerlukannya.
          </p>
          <Part id="kunci">
            <TokenKey token={token} />
          </Part>
          <Part id="id">
            <CloudIds token={token} />
          </Part>
          <Part id="webhook">
            <WebhookPart tokenId={token.id} />
          </Part>
          <Part id="akses">
            <Suspense fallback={<ListSkeleton rows={5} />}>
              <TokenAccessPart key={token.id} token={token} />
            </Suspense>
          </Part>
          <Part id="contoh">
            <section className={styles['part']}>
              <h4>Contoh kode</h4>
              <Samples channel={token.channel} />
            </section>
          </Part>
        </div>
      </AccordionPart>
    </Accordion>
  );
}

const Part = ({ id, children }: { id: PartId; children: ReactNode }) => (
  <div id={id} tabIndex={-1} className={styles['target']}>
    {children}
  </div>
);
