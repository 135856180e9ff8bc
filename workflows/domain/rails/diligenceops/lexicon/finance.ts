import { type Group, group } from './group.ts'

/** Terms of questions about a company, its money and its contracts. */
export const financeTerms: readonly Group[] = [
  group(
    'founded',
    'found, founded, founding, established, establish, incorporated, incorporation, set up',
    'gegründet, gründung, gründen',
  ),
  group(
    'ownership',
    'own, owner, shareholder, shareholding, share capital, hold shares, of the shares, stockholder, ownership, owned',
    'gesellschafter, anteilseigner, aktionär, gehören, gehört, eigentümer, der anteile, aktienkapital, stammkapital, besitzen, besitzt',
  ),
  group(
    'employee',
    'employee, staff, personnel, headcount, workforce, worker, employ people, employed, employ, people',
    'mitarbeiter, beschäftigte, angestellte, personal, belegschaft, arbeitnehmer, beschäftigt',
    0.4,
  ),
  group('revenue', 'revenue, turnover, sales, top line', 'umsatz, erlös, erlöse, umsatzerlöse'),
  group(
    'arr',
    'arr, annual recurring revenue, recurring revenue',
    'arr, wiederkehrender jahresumsatz, wiederkehrende jahresumsatz, jährlich wiederkehrender umsatz',
  ),
  group('growth', 'grow, grew, growth, increase', 'wachsen, wuchs, gewachsen, wachstum, gestiegen'),
  group('customer', 'customer, client', 'kunde, kunden, auftraggeber', 0.7),
  group('largest', 'largest, biggest, top, ten largest, main', 'größte, größten, wichtigste', 0.7),
  group('margin', 'gross margin, gross profit margin', 'bruttomarge, rohertragsmarge'),
  group(
    'profit',
    'profit, profitable, profitability, net income',
    'gewinn, profitabel, rentabel, überschuss',
  ),
  group('ebitda', 'ebitda, operating profit before depreciation', 'ebitda'),
  group('debt', 'net debt, indebtedness', 'nettoverschuldung, verschuldung'),
  group(
    'loan',
    'loan, bank loan, credit facility, credit line, line of credit, facility',
    'darlehen, kredit, kreditlinie, kreditrahmen',
  ),
  group('cash', 'cash, liquidity, cash balance', 'barmittel, liquidität, kassenbestand'),
  group('year end', 'year end, end of the year', 'jahresende, ende des jahres', 0.4),
  group(
    'accounts',
    'financial statement, annual accounts, accounts, annual report, group accounts',
    'jahresabschluss, konzernabschluss, abschluss, rechnungslegung',
  ),
  group(
    'audited',
    'audit, audited, auditor',
    'geprüft, prüfen, wirtschaftsprüfer, abschlussprüfer, prüfung',
  ),
  group(
    'opinion',
    'unqualified opinion, clean opinion, qualified opinion, opinion, unqualified, audit opinion',
    'bestätigungsvermerk, prüfungsurteil',
  ),
  group('dividend', 'dividend', 'dividende'),
  group(
    'payment terms',
    'payment term, terms of payment, invoices be paid, days to pay, invoice be paid, date of the invoice, suppliers are paid',
    'zahlungsziel, zahlungsfrist, zu bezahlen, zahlungsbedingung',
  ),
  group('invoice', 'invoice, bill', 'rechnung', 0.7),
  group('supplier', 'supplier, vendor', 'lieferant'),
  group(
    'pay',
    'pay, paid, payment',
    'zahlen, bezahlen, gezahlt, bezahlt, zahlung, ausgeschüttet, ausschütten',
    0.5,
  ),
  group(
    'litigation',
    'litigation, lawsuit, legal proceeding, court, legal dispute, law suit, pending litigation',
    'gerichtsverfahren, rechtsstreit, rechtsstreitigkeit, klage, prozess, prozesse',
  ),
  group('insurance', 'insurance, insured', 'versicherung, versichert'),
  group(
    'liability insurance',
    'liability insurance, indemnity insurance, professional indemnity insurance, professional liability insurance',
    'haftpflichtversicherung, berufshaftpflichtversicherung, haftpflicht',
  ),
  group(
    'cyber insurance',
    'cyber insurance, cyber liability insurance',
    'cyberversicherung, cyber versicherung',
  ),
  group(
    'cover',
    'cover, coverage, limit of the insurance, insurance limit, limit',
    'deckung, deckt, decken, deckungssumme',
    0.5,
  ),
  group('export licence', 'export licence, export license', 'exportlizenz, ausfuhrgenehmigung'),
  group('property', 'real estate, property, land and buildings', 'immobilie, grundstück'),
  group('tax', 'tax, taxation', 'steuer'),
  group(
    'ceo',
    'ceo, chief executive, chief executive officer, managing director',
    'geschäftsführer, vorstandsvorsitzender',
  ),
  group('cfo', 'cfo, chief financial officer, finance director', 'finanzvorstand, cfo'),
  group('pension', 'pension', 'pension, pensionsverpflichtung, altersversorgung'),
  group('churn', 'churn, churn rate', 'kündigungsrate, abwanderung, abwanderungsrate'),
]
