import { Headset } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SupportSubject } from '#contract/support.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';

export const AskSupport = ({ about, id }: { about: SupportSubject; id: string }) => (
  <LinkButton
    to="/customer-service"
    search={{ about, id }}
    variant="link"
    tone="neutral"
    icon={<Headset size={18} />}
  >
    Tanya layanan pelanggan
  </LinkButton>
);

export const SupportLink = ({ children }: { children: ReactNode }) => (
  <Link to="/customer-service">{children}</Link>
);
