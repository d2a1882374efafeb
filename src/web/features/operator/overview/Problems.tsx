import { CircleCheckBig } from 'lucide-react';
import styles from '#web/features/operator/overview/OverviewPage.module.css';
import type { Problem } from '#web/features/operator/overview/problems.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';

/** Shows that all is well, or the problems, the most urgent first, each with its remedy. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) {
    return (
      <p className={styles['good']} role="status">
        <CircleCheckBig size={20} aria-hidden="true" />
        Semua berjalan. Tidak ada yang terlambat.
      </p>
    );
  }
  return (
    <div className={styles['problems']}>
      {problems.map(({ key, severity, says, act }) => (
        <Alert key={key} state={severity} variant="pro" visible label={says}>
          {act && (
            <Row>
              <LinkButton to={act.to} size="sm" variant="outline" tone="neutral">
                {act.label}
              </LinkButton>
            </Row>
          )}
        </Alert>
      ))}
    </div>
  );
}
