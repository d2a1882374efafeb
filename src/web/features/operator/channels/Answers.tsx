import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '#contract/base/money.ts';
import { type ProviderAnswers, listProviderAnswers } from '#contract/operator/overview.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { effectWords, meaningWords } from '#web/features/operator/channels/codeWords.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import styles from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { channelLabel } from '#web/features/tokens/tokens.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const spans = [
  { value: '', label: '24 jam terakhir' },
  { value: '7', label: '7 hari terakhir' },
];

export function Answers() {
  const { days } = useSearch('/operator/kanal');
  const answers = useQuery(actQuery(listProviderAnswers, { days: days ?? '1' }));
  return (
    <Panel
      title="Jawaban jaringan"
      tools={
        <Select
          label="Rentang"
          hideLabel
          options={spans}
          value={days ?? ''}
          onChange={({ target }) =>
            void navigate({
              to: '/operator/kanal',
              change: { days: target.value === '7' ? '7' : undefined },
              resetScroll: false,
            })
          }
        />
      }
    >
      <Loaded query={answers} lines={4}>
        {({ answers: rows }) =>
          rows.length === 0 ? (
            <p className={styles['note']}>Tidak ada penolakan atau gangguan.</p>
          ) : (
            <ul className={styles['rows']} aria-label="Jawaban jaringan">
              {rows.map((row) => (
                <Row key={`${row.channel} ${row.code}`} row={row} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

const Row = ({ row }: { row: ProviderAnswers['answers'][number] }) => (
  <li>
    <span className={styles['what']}>
      <strong>{meaningWords(row)}</strong>
      <span className={styles['note']}>{effectWords(row)}</span>
      <span className={styles['small']}>
        {channelLabel[row.channel]}, kode <code>{row.code}</code>, terakhir{' '}
        <DateTime at={row.last_at} />
      </span>
    </span>
    <span>
      <strong className="num">{formatNumber(row.count)}×</strong>{' '}
      <span className={styles['small']}>{formatNumber(row.numbers)} nomor</span>
    </span>
  </li>
);
