import { PageHead } from '#web/ui/PageHead.tsx';

export function HomePage() {
  return <PageHead title="Beranda" />;
}
