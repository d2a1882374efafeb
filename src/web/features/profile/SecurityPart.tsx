import { Section } from '#web/features/profile/Section.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';

export const SecurityPart = () => (
  <Section
    id="verifikasi"
    title="Verifikasi dua langkah"
    about="Aplikasi autentikator, passkey, dan kode cadangan Anda ada di halaman Keamanan."
  >
    <div>
      <LinkButton to="/operator/keamanan" variant="outline" tone="neutral">
        Buka halaman Keamanan
      </LinkButton>
    </div>
  </Section>
);
