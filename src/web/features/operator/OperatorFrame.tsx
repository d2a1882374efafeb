import type { ReactNode } from 'react';
import styles from '#web/features/operator/OperatorFrame.module.css';
import { PageHead } from '#web/ui/layout/PageHead.tsx';

type Props = {
  title: string;
  context?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
};

export const OperatorFrame = ({ title, context, action, children }: Props) => (
  <>
    <PageHead title={title} context={context} action={action} />
    <div className={styles['page']}>{children}</div>
  </>
);
