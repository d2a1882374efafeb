import { PersonName } from '#contract/accounts.ts';
import { IndonesianMobile } from '#contract/base/phone.ts';
import { addOperator } from '#server/domains/accounts/accounts.ts';
import { readConfig } from '#server/infra/config.ts';
import { StartError } from '#server/infra/start-error.ts';
import { openInstallation } from './open.ts';

const USAGE = 'npm run operator:add -- 0812-3456-7890 "Rina"';

try {
  const [typed = '', name = ''] = process.argv.slice(2);
  const phone = IndonesianMobile().safeParse(typed);
  const called = PersonName().safeParse(name);
  if (!phone.success || !called.success) {
    throw new StartError(`Give the mobile number and the name of the operator: ${USAGE}`);
  }
  const { allAccountsSql, close } = await openInstallation(readConfig(process.env), 'add-operator');
  try {
    const made = await addOperator(allAccountsSql, {
      phone: phone.data,
      name: called.data,
      roles: ['admin'],
    });
    console.log(
      `${called.data} signs in with (shown this once; it asks for no code the first time):`,
    );
    console.log(`  phone     ${made.phone}\n  password  ${made.password}`);
  } finally {
    await close();
  }
} catch (error) {
  process.exitCode = 1;
  console.error(error instanceof StartError ? error.message : error);
}
