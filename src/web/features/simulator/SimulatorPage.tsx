import { PageHead } from '#web/ui/PageHead.tsx';

export function SimulatorPage() {
  return <PageHead title="Simulator" />;
}
