import { type Group, group } from './group.ts'

/** Terms of questions about personal data. */
export const privacyTerms: readonly Group[] = [
  group(
    'dpo',
    'data protection officer, dpo, privacy officer',
    'datenschutzbeauftragte, datenschutzbeauftragter, datenschutzbeauftragten, dsb',
  ),
  group(
    'personal data',
    'personal data, personal information, pii',
    'personenbezogene daten, personenbezogener daten, personenbezogenen daten',
  ),
  group(
    'subprocessor',
    'subprocessor, sub processor, subcontracted processor, other processors, further processor, processor',
    'unterauftragsverarbeiter, subunternehmer, unterauftragnehmer, subprozessor',
  ),
  group(
    'dpa',
    'data processing agreement, dpa, processing agreement',
    'auftragsverarbeitungsvertrag, av vertrag, avv, vertrag zur auftragsverarbeitung, auftragsverarbeitung',
  ),
  group(
    'subject request',
    'data subject request, requests of data subjects, subject access request, access request, dsar, data subject rights request',
    'betroffenenanfrage, anfragen betroffener, auskunftsersuchen, auskunftsanfrage',
  ),
  group('data subject', 'data subject, student', 'betroffene, lernende', 0.6),
  group(
    'erase',
    'erase, erased, erasure, delete, deleted, deletion, right to be forgotten',
    'löschen, gelöscht, löschung',
  ),
  group(
    'termination',
    'termination, end of the contract, contract end, end of contract, after the contract',
    'vertragsende, ende des vertrags, kündigung, beendigung des vertrags',
  ),
  group(
    'training',
    'training, train, awareness, course on security',
    'schulung, geschult, schulen, unterweisung',
  ),
  group('privacy', 'privacy, data protection', 'datenschutz, datenschutzes'),
  group('sell', 'sell, sold, sale of data', 'verkaufen, verkauft, verkauf'),
  group(
    'transfer',
    'transfer, third country transfer',
    'übermittlung, übertragung, drittlandtransfer',
  ),
  group('united states', 'united states, usa, us', 'vereinigte staaten, usa'),
  group(
    'scc',
    'standard contractual clause, scc',
    'standardvertragsklausel, standarddatenschutzklausel, scc',
  ),
  group('legal basis', 'legal basis, rely on, lawful basis', 'rechtsgrundlage, stützen', 0.5),
  group(
    'dpia',
    'dpia, data protection impact assessment, privacy impact assessment, impact assessment',
    'dsfa, datenschutz folgenabschätzung, datenschutzfolgenabschätzung, folgenabschätzung',
  ),
  group('cookie', 'cookie', 'cookie'),
  group(
    'advertising',
    'advertising, advertiser, marketing cookie, ads',
    'werbung, werbe, werbezwecke',
  ),
  group(
    'pseudonymise',
    'pseudonymise, pseudonymize, pseudonymised, pseudonymized, pseudonymisation',
    'pseudonymisieren, pseudonymisiert, pseudonymisierung',
  ),
  group('anonymous', 'anonymous, anonymise, anonymize, anonymised', 'anonym, anonymisiert'),
  group(
    'health data',
    'health record, patient data, medical data, health data, medical record',
    'gesundheitsdaten, patientendaten',
  ),
  group('research', 'research, scientific purpose', 'forschung'),
  group(
    'authority',
    'supervisory authority, regulator, data protection authority',
    'aufsichtsbehörde, datenschutzbehörde',
  ),
  group('fine', 'fine, fined, penalty, sanction', 'bußgeld, strafe, geldbuße'),
  group('children', 'child, children', 'kind, kinder'),
  group(
    'minor',
    'minor, student under 16, students under, under 16',
    'minderjährige, unter 16 jahren',
    0.5,
  ),
  group('parent', 'parent, parental, guardian', 'eltern, elternteil, erziehungsberechtigte'),
  group('consent', 'consent, permission of', 'einwilligung, zustimmung'),
  group(
    'automated decision',
    'automated decision, automated decision making, automated individual decision',
    'automatisierte entscheidung, automatisierte entscheidungen, automatisierte entscheidungsfindung',
  ),
  group(
    'nda',
    'nda, confidentiality agreement, non disclosure agreement',
    'verschwiegenheitsvereinbarung, vertraulichkeitserklärung, vertraulichkeitsvereinbarung, verschwiegenheitserklärung, nda',
  ),
  group(
    'records of processing',
    'record of processing, records of processing activities, ropa, processing register',
    'verarbeitungsverzeichnis, verzeichnis der verarbeitungstätigkeiten, vvt',
  ),
  group(
    'notify',
    'notify, notified, inform, informed, tell, told, report, notice, notification, alert',
    'benachrichtigen, benachrichtigt, informieren, informiert, melden, meldung, gemeldet',
    0.5,
  ),
  group(
    'contact',
    'contact, contacted, reached, reach',
    'erreichbar, kontakt, erreichen, kontaktieren',
    0.6,
  ),
  group('answer', 'answer, answered, reply', 'beantworten, beantwortet, beantwortung', 0.6),
  group('request', 'request, ask for, demand', 'verlangen, beantragen, anfragen, anfrage', 0.5),
  group('collect', 'collect, collected, gather', 'erheben, erhebt, erhoben, sammeln', 0.6),
  group('share with', 'share, shared, disclose', 'weitergeben, weitergegeben, weitergabe', 0.6),
  group('video', 'cctv, video surveillance, camera', 'videoüberwachung, kamera, kameras'),
]
