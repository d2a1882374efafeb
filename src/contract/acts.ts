import type { Act } from './act.ts';
import * as accounts from './accounts.ts';
import * as events from './events.ts';
import * as messages from './messages.ts';
import * as operator from './operator.ts';
import * as saldo from './saldo.ts';
import * as simulator from './simulator.ts';
import * as tokens from './tokens.ts';

/** The list of all acts: what the portal may ask, and nothing else. */
export const acts: readonly Act[] = [
  accounts.registerUser,
  accounts.verifyOtp,
  accounts.resendOtp,
  accounts.loginUser,
  accounts.logoutUser,
  accounts.checkToken,
  accounts.captchaChallenge,
  accounts.appConfig,
  tokens.listTokens,
  tokens.getToken,
  tokens.createToken,
  tokens.updateToken,
  tokens.rotateToken,
  tokens.deleteToken,
  tokens.linkToken,
  tokens.unlinkToken,
  tokens.getScan,
  tokens.consentScan,
  messages.homeSummary,
  messages.listMessages,
  messages.getMessage,
  messages.sendMessage,
  messages.cancelMessage,
  messages.listConversations,
  messages.conversationMessages,
  messages.readConversation,
  messages.unreadConversations,
  saldo.saldoSummary,
  saldo.listMutations,
  saldo.createTopup,
  saldo.listTopups,
  saldo.getTopup,
  saldo.cancelTopup,
  simulator.simulatedPhone,
  simulator.simulatedReply,
  simulator.simulatedSwitch,
  simulator.simulatedScan,
  simulator.simulatedTransfer,
  operator.operatorTopups,
  operator.confirmTopup,
  operator.rejectTopup,
  events.events,
];
