import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { moneyOverview } from '#contract/operator/books.ts';
import { operatorOverview } from '#contract/operator/overview.ts';
import { formatTime } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { maySee } from '#web/features/operator/operator.ts';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Installation } from '#web/features/operator/overview/Installation.tsx';
import { MoneyPart } from '#web/features/operator/overview/MoneyPart.tsx';
import styles from '#web/features/operator/overview/OverviewPage.module.css';
import { Problems } from '#web/features/operator/overview/Problems.tsx';
import { problemsOf } from '#web/features/operator/overview/problems.ts';
import { Traffic } from '#web/features/operator/overview/Traffic.tsx';

/** The poll interval of the overview: no live event reports others' work to an operator. */
const LOOK_MS = 15_000;

/** Route `/operator`: problems, queues, and figures with links to their pages. */
export function OverviewPage() {
  const { operator_roles: roles } = useUser();
  const seesMoney = maySee({ roles: ['money'] }, roles);
  const looking = { refetchInterval: LOOK_MS };
  const overview = useQuery({ ...actQuery(operatorOverview, {}), ...looking });
  const money = useQuery({ ...actQuery(moneyOverview, {}), ...looking, enabled: seesMoney });
  const isWhole = !seesMoney || money.data !== undefined || money.isError;
  return (
    <OperatorFrame title="Ringkasan" context={<Seen queries={[overview, money]} />}>
      <Loaded query={overview} lines={12}>
        {(data) => (
          <div className={styles['page']}>
            {isWhole && <Problems problems={problemsOf(data, money.data)} />}
            <Traffic data={data} />
            {seesMoney && (
              <Loaded query={money} lines={8}>
                {(books) => <MoneyPart data={books} />}
              </Loaded>
            )}
            <Installation data={data} />
          </div>
        )}
      </Loaded>
    </OperatorFrame>
  );
}

function Seen({ queries }: { queries: readonly UseQueryResult[] }) {
  const { timezone } = useUser();
  const failed = queries.find(({ isError, data }) => isError && data !== undefined);
  const [first] = queries;
  const at = first?.dataUpdatedAt ?? 0;
  const time = at === 0 ? '' : formatTime(new Date(at), timezone);
  if (failed) {
    return (
      <span role="alert" className={styles['stale']}>
        Belum dapat diperbarui: {sentenceOf(failed.error)} Angka ini dari pukul {time}.
      </span>
    );
  }
  return (
    <>{at === 0 ? 'Keadaan seluruh instalasi.' : `Diperbarui otomatis; terakhir pukul ${time}.`}</>
  );
}
