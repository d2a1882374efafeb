import * as z from 'zod/mini';
import { OperatorRole, PersonName } from '#contract/accounts.ts';
import { act, operatorRoles, type OperatorRole as RoleName, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { IndonesianMobile, Phone } from '#contract/base/phone.ts';
import { type Output, schema } from '#contract/base/schema.ts';

export const operatorRoleLabel: Record<RoleName, string> = {
  support: 'Layanan',
  money: 'Uang',
  admin: 'Admin',
};

export const Operator = schema(() =>
  z.object({
    user_id: Id('user'),
    name: z.string(),
    phone: Phone(),
    roles: z.array(OperatorRole()),
    second_factor: z.boolean(),
    signed_in_at: z.nullable(z.coerce.date()),
    sessions: z.int(),
    /** The expiry of an unused invitation; null for all other operators. */
    invited_until: z.nullable(z.coerce.date()),
    you: z.boolean(),
    /** True for the last admin, who can neither be removed nor lose the role. */
    last_admin: z.boolean(),
  }),
);
export type Operator = Output<typeof Operator>;

const Roles = () =>
  z
    .array(OperatorRole())
    .check(z.minLength(1, 'Pilih minimal satu peran.'), z.maxLength(operatorRoles.length));

export const listOperators = act({
  name: 'operator_list',
  by: 'operator',
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: Operator,
});

/** Creates an operator and a password to hand over: it works within three days, with a code to their phone. */
export const inviteOperator = act({
  name: 'operator_invite',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ name: PersonName(), phone: IndonesianMobile(), roles: Roles() }),
  output: () =>
    z.object({
      user_id: Id('user'),
      phone: Phone(),
      password: z.string(),
      valid_until: z.coerce.date(),
    }),
  refuses: ['phone_in_use'],
});

/** Replaces all roles of an operator. */
export const setOperatorRoles = act({
  name: 'operator_roles_set',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ user_id: IdInput('user'), roles: Roles() }),
  output: Operator,
  refuses: ['last_admin'],
});

/** Removes an operator and ends all their sessions. Their past acts keep their name. */
export const removeOperator = act({
  name: 'operator_remove',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ user_id: IdInput('user') }),
  refuses: ['last_admin'],
  output: () => z.object({}),
});

/** Ends all sessions of an operator; for the caller, all others. */
export const endOperatorSessions = act({
  name: 'operator_sessions_end',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ user_id: IdInput('user') }),
  output: () => z.object({ ended: z.int() }),
});

/** Resets another operator's second factor and signs them out; they then set up a new one. */
export const resetOperatorFactor = act({
  name: 'operator_second_factor_reset',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ user_id: IdInput('user') }),
  output: () => z.object({ ended: z.int() }),
});

export const Reason = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(3, 'Tulis alasannya.'),
      z.maxLength(300, 'Alasan paling panjang 300 karakter.'),
    ),
);
