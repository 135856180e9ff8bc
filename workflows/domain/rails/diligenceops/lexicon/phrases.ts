import { type Group, group, weak } from './group.ts'

/** What many sentences say, whatever they are about. */
export const phraseTerms: readonly Group[] = [
  group(
    'retain',
    'retain, retained, retention, retention period, keep, kept, store, stored, hold, held, storage, hosted, host',
    'aufbewahren, aufbewahrt, bewahren, aufbewahrung, speichern, gespeichert, speichert, aufbewahrungsfrist, gehostet, liegen',
    0.6,
  ),
  group(
    'sign',
    'sign, signed, conclude',
    'unterschreiben, unterzeichnen, schließen, geschlossen, unterschrieben',
    0.4,
  ),
  group(
    'share of',
    'share of, percentage of, proportion of, accounts for, account for, contribute, dependent',
    'anteil, entfallen, entfällt',
    0.3,
  ),
  group('scope', 'all, every, each', 'alle, jeder', 0),
  weak(
    'exist',
    'exist, have, has, had, in place, keep, is there, are there, available, maintain, maintained, provide, offer, support',
    'gibt, gab, vorhanden, besteht, bestehen, gilt, gelten, haben, hat, führt, unterstützen, führen',
  ),
  weak(
    'do',
    'do, perform, performed, carry out, carried out, conduct, undertake, take place, run, runs, operate, operated, use, used, deploy, deployed, make, made, apply',
    'durchführen, durchgeführt, durch, einsetzen, eingesetzt, setzen, nutzen, nutzt, verwenden, verwendet, betreiben, laufen, läuft, treffen, stattfinden, statt, finden, fand',
  ),
  weak(
    'require',
    'require, required, enforce, enforced, mandatory, must, need, needed, prescribed, obligatory',
    'vorgeschrieben, verpflichtend, nötig, erforderlich, müssen, eingeholt, pflicht',
  ),
  weak(
    'company',
    'company, business, organisation, organization, firm, group, corporation, enterprise, service, system',
    'unternehmen, gesellschaft, firma, gruppe, konzern, dienst, system',
  ),
  weak(
    'time',
    'time, long, deadline, period, day, hour, month, year, minute, week, within, after, before, date, recent, latest, last, year over year',
    'zeit, frist, tag, stunde, monat, jahr, minute, woche, innerhalb, binnen, vorjahr, abstand, letzte, zuletzt, lange, dauer, dauert',
  ),
  weak(
    'often',
    'often, frequently, frequency, quarter, nightly, weekly, daily, annually',
    'oft, häufig, vierteljährlich, jährlich, wöchentlich, monatlich',
  ),
  weak('quickly', 'quickly, fast, soon, promptly', 'schnell, rasch, umgehend'),
  weak(
    'amount',
    'much, many, high, amount, number, level, minimum, least, percent, rate, figure',
    'viel, viele, hoch, höhe, betrag, anzahl, mindestens, prozent, groß, stark, beträgt, betrug',
  ),
  weak('data', 'data, information, record', 'daten, information'),
  weak(
    'allow',
    'allow, allowed, may, can, permitted, prohibited, forbidden',
    'erlaubt, dürfen, können, verboten, zulässig, untersagt',
  ),
  weak(
    'category',
    'category, kind, type, which, country, countries, location, place, region',
    'kategorie, art, land, länder, ländern, ort, region',
  ),
  weak(
    'appoint',
    'appoint, appointed, designate, name, engage, engaged, add, adding, install, installed',
    'benannt, ernannt, bestellt, einsatz, installiert',
  ),
  weak('come', 'come, derive, stem, amount to, accounted', 'stammt, stammen, erreichte'),
  weak(
    'form',
    'form, part, pipeline, development pipeline, development, publish, other, external, internal',
    'teil, form, andere, intern, extern',
  ),
  weak(
    'stop',
    'get, give, given, issue, issued, answer, handle, protect, protected, ensure, secure, security, secured, complete, completed, finish, finished',
    'sicherheit, schützen, geschützt, abgeschlossen, erfolgen, erfolgt, erstellt',
  ),
]
