import { useQuery } from '@tanstack/react-query';
import { allTokensQuery } from '#web/api/allTokens.ts';

export function useTokenNames(): (id: string) => string | undefined {
  const { data: tokens } = useQuery(allTokensQuery);
  return (id) => tokens?.find((token) => token.id === id)?.name;
}
