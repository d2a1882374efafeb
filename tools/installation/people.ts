import { OperatorRole, PersonName } from '#contract/accounts.ts';
import { operatorRoles } from '#contract/base/act.ts';
import { IndonesianMobile } from '#contract/base/phone.ts';
import {
  type FirstOperator,
  addOperator,
  operatorByPhone,
  resetOperatorPassword,
  resetSecondFactor as takeSecondFactors,
  vouchForOperator,
} from '#server/domains/accounts/accounts.ts';
import { StartError } from '#server/infra/start-error.ts';
import { type Call, type Command, typed } from './command.ts';
import { withInstallation } from './open.ts';

export const add: Command = {
  usage: 'add <phone> <name> [roles]',
  says: `makes an operator; roles are ${operatorRoles.join(', ')}, separated by commas (admin without them)`,
  run: async ({
    given: [phoneTyped = '', nameTyped = '', rolesTyped = 'admin'],
    config,
    print,
  }) => {
    const phone = phoneOf(phoneTyped, add);
    const name = PersonName().safeParse(nameTyped);
    if (!name.success) {
      throw new StartError(`Give the operator’s name, in quotes: ${typed(add)}`);
    }
    const roles = rolesTyped.split(',').map((role) => OperatorRole().safeParse(role.trim()));
    if (roles.some(({ success }) => !success)) {
      throw new StartError(`Roles are ${operatorRoles.join(', ')}, separated by commas.`);
    }
    await withInstallation(config(), 'add operator', async ({ allAccountsSql }) => {
      const made = await addOperator(allAccountsSql, {
        phone,
        name: name.data,
        roles: [...new Set(roles.flatMap(({ data }) => data ?? []))],
      });
      show(
        print,
        `${name.data} signs in with (shown this once; it asks for no code the first time):`,
        made,
      );
    });
    return 0;
  },
};

export const resetPassword: Command = {
  usage: 'reset-password <phone>',
  says: 'gives an operator a new password, and ends their sessions',
  run: async ({ given: [phoneTyped = ''], config, print }) => {
    const phone = phoneOf(phoneTyped, resetPassword);
    await withInstallation(config(), 'reset password', async ({ allAccountsSql }) => {
      const made = await resetOperatorPassword(allAccountsSql, phone);
      show(print, 'They sign in with (shown this once; change it under Profil):', made);
    });
    return 0;
  },
};

/** For an operator who lost their authenticator, their passkeys and their recovery codes. */
export const resetSecondFactor: Command = {
  usage: 'reset-second-factor <phone>',
  says: 'takes all second factors from an operator, and ends their sessions: they set up new ones',
  run: async ({ given: [phoneTyped = ''], config, print }) => {
    const phone = phoneOf(phoneTyped, resetSecondFactor);
    await withInstallation(config(), 'reset second factor', async ({ allAccountsSql }) => {
      const { userId } = await operatorByPhone(allAccountsSql, phone);
      const reset = await takeSecondFactors(allAccountsSql, userId);
      const had = reset?.kinds.length ? ` (${reset.kinds.join(', ')})` : ', and had none';
      print(
        `${phone} has no second factor any more${had}: they sign in with their password and a code to their phone.`,
      );
    });
    return 0;
  },
};

/** For an operator who was invited on a page and is independent of the inviter. */
export const vouch: Command = {
  usage: 'vouch <phone>',
  says: 'says that an operator is a person of their own, who may decide on what their inviter proposes',
  run: async ({ given: [phoneTyped = ''], config, print }) => {
    const phone = phoneOf(phoneTyped, vouch);
    await withInstallation(config(), 'vouch for operator', async ({ allAccountsSql }) => {
      await vouchForOperator(allAccountsSql, phone);
      print(`${phone} counts as a second operator from now on.`);
    });
    return 0;
  },
};

function phoneOf(words: string, command: Command): string {
  const phone = IndonesianMobile().safeParse(words);
  if (phone.success) return phone.data;
  throw new StartError(
    `Give the operator’s mobile number, such as 0812-3456-7890: ${typed(command)}`,
  );
}

function show(print: Call['print'], sentence: string, { phone, password }: FirstOperator): void {
  print(`${sentence}\n  phone     ${phone}\n  password  ${password}`);
}
