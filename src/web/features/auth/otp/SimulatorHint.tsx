import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { Smartphone } from 'lucide-react';
import styles from '#web/features/auth/auth.module.css';
import { configQuery } from '#web/api/configQuery.ts';

type Props = {
  phone: string;
  small?: boolean;
  /** The phone opens in another tab; this one continues with the code. */
  onOpen?: () => void;
};

/** Points to the code in an installation whose codes go to simulated phones. */
export function SimulatorHint({ phone, small = false, onOpen }: Props) {
  const { data: config } = useQuery(configQuery);
  if (!config?.codes_in_simulator) return null;
  return (
    <p className={styles[small ? 'line' : 'box']}>
      <Smartphone size={small ? 16 : 18} className={small ? undefined : 'mt-2'} />
      <span>
        {!small && 'Kode dikirim ke ponsel simulasi. '}
        <Link to="/simulator" search={{ phone }} target="_blank" onClick={onOpen}>
          {small ? `Buka ponsel simulasi ${phone.slice(-4)}` : 'Buka simulator'}
          <span className="sr-only"> (tab baru)</span>
        </Link>
      </span>
    </p>
  );
}
