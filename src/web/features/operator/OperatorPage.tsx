import { PageHead } from '#web/ui/PageHead.tsx';

export function OperatorPage() {
  return <PageHead title="Operator" />;
}
