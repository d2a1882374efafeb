import { useQueryClient } from '@tanstack/react-query';
import { Star } from 'lucide-react';
import { useId, useState } from 'react';
import { rateSupport } from '#contract/support.ts';
import { useAct } from '#web/api/query.ts';
import { threadQuery } from '#web/features/support/queries.ts';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';

const COMMENT_MAX = 1_000;
const scores = [
  [1, 'Sangat buruk'],
  [2, 'Buruk'],
  [3, 'Cukup'],
  [4, 'Baik'],
  [5, 'Sangat baik'],
] as const;

export function RatingCard() {
  const client = useQueryClient();
  const id = useId();
  const [score, setScore] = useState<number>();
  const [comment, setComment] = useState('');
  const rate = useAct(rateSupport, {
    onSuccess: (after) => {
      client.setQueryData(threadQuery.queryKey, after);
      void client.invalidateQueries({ queryKey: ['support'] });
    },
  });
  const word = scores.find(([value]) => value === score)?.[1];
  return (
    <form
      className={classes('stack gap-12 card p-16', styles['ratingCardCard'])}
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        if (score !== undefined) rate.mutate({ score, comment: comment.trim() || undefined });
      }}
    >
      <fieldset className="grid justify-items-center gap-8">
        <legend id={id} className="mx-auto strong">
          Bagaimana bantuan kami?
        </legend>
        <Stars name={id} score={score} onScore={setScore} />
        <span className="small faint" aria-hidden="true">
          {word ?? 'Pilih satu sampai lima bintang'}
        </span>
      </fieldset>
      {score !== undefined && (
        <>
          <RefusalAlert error={rate.error} />
          <TextArea
            label="Ada yang ingin disampaikan? (boleh kosong)"
            rows={2}
            maxLength={COMMENT_MAX}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <Button type="submit" busy={rate.busy} className="mx-auto">
            Kirim penilaian
          </Button>
        </>
      )}
    </form>
  );
}

type StarsProps = {
  name: string;
  score: number | undefined;
  onScore: (score: number) => void;
};

const Stars = ({ name, score, onScore }: StarsProps) => (
  <span className="flex">
    {scores.map(([value, word]) => (
      <label
        key={value}
        className={classes(
          'place-center pointer rounded relative ring-within',
          value <= (score ?? 0) ? 'text-warning' : 'faint',
          classes('size-48', styles['star']),
        )}
        data-on={value <= (score ?? 0) || undefined}
      >
        <input
          className="cover"
          type="radio"
          name={name}
          value={value}
          checked={score === value}
          aria-label={`${value} dari 5, ${word}`}
          onChange={() => onScore(value)}
        />
        <Star size={28} />
      </label>
    ))}
  </span>
);
