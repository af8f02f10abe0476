/** Texts for what would be sent, and for the results. */

import type { Discovered, Discovery, Fetchable, Fetched, FromService, Missing, Sent } from '../wire';
import { counted } from '../wording';

const MAX_NAMED = 5;

/** What is missing, perhaps of one kind only. */
export interface Chosen extends Missing {
  only?: Fetchable;
}

const WHAT: Readonly<Record<Fetchable, { label: string; description: string }>> = {
  abstracts: { label: 'Abstracts', description: 'of works with neither abstract nor full text' },
  citing: { label: 'Citing sentences', description: 'in which others cite your works' },
  references: { label: 'Records', description: 'to check references against' },
};

/** What is sent to check references, and not known before there are answers. */
const PUBLICATION = 'For a preprint, the DOI of its published version is sent, too.';

/** Return one of the choices, with how many entries would be looked up for it. */
export function choiceItem({ only, unanswered }: Missing & { only: Fetchable }): { label: string; description: string } {
  const { label, description } = WHAT[only];
  return { label: `${label}: ${counted(unanswered, 'entry', 'entries')}`, description };
}

/** Return the question that the author is asked before anything is sent. */
export function question(missing: Chosen): { message: string; detail: string } {
  const { draft, unanswered, sent, email, only } = missing;
  const what = only === undefined ? 'abstracts and citing sentences' : WHAT[only].label.toLowerCase();
  return {
    message: `Look up ${what} for ${counted(unanswered, 'entry', 'entries')} of ${draft} on the network?`,
    detail: [
      'At most, this will be sent:',
      sent.map((one) => `${one.service} (${one.host}): ${amount(one, email)}`).join('\n'),
      only === 'references' && PUBLICATION,
      'Nothing from your draft is sent, and no notes or file names. No paper is downloaded, and your bibliography does not change.',
    ].filter(Boolean).join('\n\n'),
  };
}

/** Return the question that the author is asked before works are discovered. */
export function discoveryQuestion({ draft, entries, unidentified, requests, sent, email }: Discovery): { message: string; detail: string } {
  const names = sent.map(({ service }) => service).join(' and ');
  return {
    message: `Ask ${names} for the works around those that ${draft} cites?`,
    detail: [
      `This is sent, with a service’s own identifiers of works, in at most ${counted(requests, 'request')}:`,
      sent.map((one) => `${one.service} (${one.host}): ${amount(one, email)}`).join('\n'),
      unidentified.length > 0 && `${unidentified.length} of ${counted(entries, 'work')} ${unidentified.length === 1 ? 'has' : 'have'} no DOI or arXiv identifier: no service is asked about ${unidentified.length === 1 ? 'it' : 'them'}.`,
      `${names} ${sent.length === 1 ? 'learns' : 'learn'} which works you cite. Nothing from your draft is sent, and no titles, notes or file names.`,
    ].filter(Boolean).join('\n\n'),
  };
}

/** Return what was discovered, in a sentence. */
export function discoveredWorks({ works, unknown = [], problem }: Discovered): string {
  return [
    works > 0 ? `${counted(works, 'work')} around yours: “Suggest works I do not have” ranks them for a place.` : 'No works around yours were found.',
    unknown.length > 0 && `Not found there, or under a different title: ${unknown.slice(0, MAX_NAMED).join(', ')}${unknown.length > MAX_NAMED ? ', …' : ''}.`,
    problem !== undefined && `${problem}. Discover again later to resume from here.`,
  ].filter(Boolean).join(' ');
}

function amount({ dois, titles, hasEmail, hasKey }: Sent, email = ''): string {
  return [
    dois.length > 0 && counted(dois.length, 'DOI'), titles.length > 0 && counted(titles.length, 'title'), hasEmail && email, hasKey && 'your key',
  ].filter(Boolean).join(', ');
}

/** Return all that would be sent, as a text to read. */
export function everything({ draft, sent, email, only }: Chosen): string {
  const remark = 'A title is sent only if the DOI is missing, unknown or wrong. A DOI that one service supplies is sent to the others.';
  return listed(draft, sent, email, only === 'references' ? `${remark} ${PUBLICATION}` : remark);
}

/** Return all that would be sent to discover works, as a text to read. */
export function everythingToDiscover({ draft, sent, email }: Discovery): string {
  return listed(draft, sent, email, 'The services’ own identifiers of the works that they find are sent, too.');
}

function listed(draft: string, sent: readonly Sent[], email: string | undefined, remark: string): string {
  const parts = sent.map(({ service, host, dois, titles, hasEmail, hasKey }) =>
    [`## ${service} (${host})`, ...[...dois, ...titles, ...(hasEmail && email !== undefined ? [email] : []), ...(hasKey ? ['your key'] : [])].map((one) => `- ${one}`)].join('\n'));
  return [`# The most that would be sent for ${draft}`, remark, ...parts].join('\n\n').concat('\n');
}

/** Return what came back, in a sentence. */
export function cameBack({ found, failures }: Fetched): string {
  const parts = found.map(({ service, abstracts, sentences }) => `${fromService({ service, abstracts, sentences })} from ${service}`);
  const summary = parts.length > 0 ? `Found ${parts.join(', ')}.` : 'Nothing new was found.';
  return [summary, ...failures.map((one) => `${one}.`), ...(failures.length > 0 ? ['Fetch again later to resume from here.'] : [])].join(' ');
}

/** Return how much is from a service, such as `2 abstracts and 1 citing sentence`. */
export function fromService({ abstracts, sentences }: FromService): string {
  return [abstracts > 0 && counted(abstracts, 'abstract'), sentences > 0 && counted(sentences, 'citing sentence')].filter(Boolean).join(' and ');
}
