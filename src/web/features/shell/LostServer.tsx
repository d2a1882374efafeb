import { sentenceOf } from '#web/client/errors.ts';
import styles from '#web/features/shell/AuthLayout.module.css';
import { Alert } from '#web/ui/Alert.tsx';
import { Button } from '#web/ui/Button.tsx';

/** A session is there, only the server could not be asked about it. */
export const LostServer = ({ error, retry }: { error: unknown; retry: () => void }) => (
  <div className={styles['lost']}>
    <Alert visible state="warning" label={sentenceOf(error)}>
      <Button variant="link" tone="attention" onClick={retry}>
        Coba lagi
      </Button>
    </Alert>
  </div>
);
