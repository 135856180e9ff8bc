"""Packets whose truth is known because each document is made for it: prints JSON with inputs and what is to be found in them.

Shares no code with the product: it writes documents of known faults and applies the published rule of readiness to the faults.
"""

import json
import random
import sys
from base64 import b64encode
from datetime import date, timedelta

AS_OF = date(2026, 6, 30)
PERIOD = (date(2026, 1, 1), date(2026, 6, 30))
AGES = {
    "soc2_evidence_packet": {
        "system_description": (365, ""),
        "management_assertion": (365, ""),
        "control_environment": (365, "oa"),
        "communication": (365, "oa"),
        "risk_assessment": (365, "oa"),
        "monitoring": (180, "op"),
        "control_activities": (365, ""),
        "logical_access": (90, "op"),
        "physical_access": (365, ""),
        "system_operations": (90, "op"),
        "incident_response": (365, "oa"),
        "change_management": (90, "op"),
        "vendor_management": (365, "oa"),
        "business_continuity": (365, "oa"),
        "penetration_test": (365, ""),
    },
    "iso27001_evidence_packet": {
        "scope": (365, ""),
        "information_security_policy": (365, "oa"),
        "roles": (365, ""),
        "risk_assessment": (365, "oa"),
        "risk_treatment": (365, "oa"),
        "statement_of_applicability": (365, "oa"),
        "objectives": (365, ""),
        "competence": (365, ""),
        "documented_information": (365, ""),
        "monitoring": (365, "op"),
        "internal_audit": (365, "op"),
        "management_review": (365, "a"),
        "corrective_actions": (365, ""),
        "organizational_controls": (365, ""),
        "people_controls": (365, ""),
        "physical_controls": (365, ""),
        "technological_controls": (365, ""),
    },
}
OWN = {"vault_access": (30, "os"), "till_counts": (365, "oap"), "fire_drills": (None, "")}
NEEDS = {"o": "owner", "a": "approver", "p": "period", "s": "sample"}

SOUND = [
    "Our {about} procedure is followed in every team. {who} keeps its records, and the results are read each month.\n",
    "# {title}\n\nScope: all of production\n\nEvery request about {about} has a ticket, and {who} decides on it within two days.\n",
    "ticket,date,owner,outcome,about\n{n}1,2026-05-02,{who},approved,{about}\n{n}2,2026-05-09,{who},kept,{about}\n",
    '{{"control": "{about} {n}", "control_effective": true, "exceptions": 0, "open_criticals": 0, "guest_access_enabled": false}}\n',
    "{title}\n\nNo critical findings remained open. 0 exceptions were noted. Changes that are not approved are not deployed. {about} {n}.\n",
    "Subject: {about} {n}\nExceptions: none\nMFA enforced: yes\nFollow-up required: no\nMax failed logins: 5\n",
]
# Text, and what it says against the control: code, the name of the value or column, rows.
FAILING = [
    ('{{"control": "{about}", "system": "host {n}", "mfa_enforced": false}}\n', [("control_failing", "mfa_enforced", 0)]),
    (
        '{{"about": "{about} {n}", "exceptions": 41, "critical_findings_open": 3}}\n',
        [("critical_open", "critical_findings_open", 0), ("exceptions_found", "exceptions", 0)],
    ),
    ("Summary of {about} {n}. 3 CRITICAL findings open for more than 90 days.\n", [("critical_open", "text", 0)]),
    ("Report on {about} {n}. Encryption of the backups is not enabled at this time.\n", [("control_failing", "text", 0)]),
    ("Report on {about} {n}. The auditor issued a qualified opinion on the period.\n", [("control_failing", "text", 0)]),
    (
        "change,date,approved_by,about\n{n}1,2026-05-02,{who},{about}\n{n}2,2026-05-03,,{about}\n{n}3,2026-05-04,n/a,{about}\n",
        [("approval_missing", "approved_by", 2)],
    ),
    (
        "finding,severity,status,about\n{n}1,critical,open,{about}\n{n}2,low,open,{about}\n{n}3,critical,closed,{about}\n",
        [("critical_open", "severity", 1)],
    ),
    ("account,mfa_enabled,about\n{n}a,yes,{about}\n{n}b,no,{about}\n{n}c,no,{about}\n", [("control_failing", "mfa_enabled", 2)]),
    ("About: {about} {n}\nPublic access enabled: yes\nResult: failed\n", [("control_failing", "public_access_enabled", 0), ("control_failing", "result", 0)]),
    ("About: {about} {n}. During the test 2 exceptions were noted by the reviewer.\n", [("exceptions_found", "text", 0)]),
]
EMPTY = ["", " \n\t\n", "---\n", "{}", "[]\n"]
PLACEHOLDER = ["TBD", "# {title}\n\nTo be determined\n", "Lorem ipsum dolor sit amet, consectetur adipiscing elit.", "{title}\n\n[insert policy here]\n", "N/A\n"]
UNFINISHED = ["Our {about} procedure (no. {n}) is followed by all teams of [company name] every day.\n", "Work on {about} (no. {n}) follows the plan of the team.\nReviewer: TBD\n"]
THIN = ["{about}"]


def day(age):
    return (AS_OF - timedelta(days=age)).isoformat()


class Maker:
    def __init__(self, seed):
        self.roll = random.Random(seed)
        self.number = 0

    def fill(self, template, section):
        self.number += 1
        about = section.split("_")[0]
        return template.format(about=about, title=section.replace("_", " ").capitalize(), who="A. Okafor", n=1000 + self.number)

    def item(self, section, age, needs, fate):
        roll = self.roll
        said, reading, caps = [], "written", []
        text = self.fill(roll.choice(SOUND), section)
        # The oldest day that still counts in every section that ages, so that periods and dates never decide by accident.
        made = {"name": f"{section}-{fate}-{self.number}.txt", "section": section, "issued_at": day(roll.randrange(0, (age or 300) // 2))}
        if "o" in needs:
            made["owner"] = "F. Haddad"
        if "a" in needs:
            made["approved_by"] = "G. Novak"
        if "p" in needs:
            made["period"] = {"from": PERIOD[0].isoformat(), "to": PERIOD[1].isoformat()}
        if fate == "failing":
            template, said = roll.choice(FAILING)
            text, reading, caps = self.fill(template, section), "failing", [0]
        elif fate == "empty":
            text, reading, caps = roll.choice(EMPTY), "empty", [0]
        elif fate == "placeholder":
            text, reading, caps = self.fill(roll.choice(PLACEHOLDER), section), "placeholder", [0]
        elif fate == "unfinished":
            text, reading, caps = self.fill(roll.choice(UNFINISHED), section), "unfinished", [1]
        elif fate == "thin":
            text, reading, caps = self.fill(roll.choice(THIN), section), "thin", [1]
        elif fate == "stale" and age is not None:
            made["issued_at"], caps = day(age + 1 + roll.randrange(0, 90)), [0]
        elif fate == "expired":
            made["expires_at"], caps = day(1 + roll.randrange(0, 90)), [0]
        elif fate == "future":
            made["issued_at"], caps = day(-1 - roll.randrange(0, 9)), [0]
        elif fate == "unowned" and "o" in needs:
            del made["owner"]
            caps = [1]
        elif fate == "unapproved" and "a" in needs:
            del made["approved_by"]
            caps = [1]
        elif fate == "self_approved" and "oa" in needs:
            made["approved_by"] = "f. haddad"
            caps = [1]
        elif fate == "off_topic" and section != "fire_drills" and section not in OWN:
            text, caps = "Lunch is served at noon in the garden by Zelda.\n", [1]
            made["name"] = f"menu-{self.number}.txt"
        elif fate == "binary":
            reading, caps = "binary", [1]
        if fate == "binary":
            made["content_base64"] = b64encode(b"%PDF-1.7\n" + bytes([0, 1, 2, self.number % 250])).decode()
        elif roll.random() < 0.2:
            made["content_base64"] = b64encode(text.encode()).decode()
        else:
            made["content"] = text
        return {"item": made, "reading": reading, "said": said, "points": min(caps + [2]), "dead": min(caps + [2]) == 0}


FATES = ["sound"] * 9 + ["failing", "failing", "empty", "placeholder", "unfinished", "thin", "stale", "expired", "future"]
FATES += ["unowned", "unapproved", "self_approved", "off_topic", "binary"]


def sampled(maker, section, needed):
    """A population with a sample that is large enough, too small, or not all drawn from it."""
    roll = maker.roll
    size = roll.choice([3, 10, 40, 120, 400])
    least = min(size, needed)
    kind = roll.choice(["sufficient", "too_small", "not_from_population"])
    count = {"sufficient": least, "too_small": max(0, least - 1), "not_from_population": least}[kind]
    ids = [f"{section}-{number}" for number in range(size)]
    drawn = roll.sample(ids, count)
    if count == 0:
        kind, drawn = "sufficient", ids[:1]
    strangers = []
    if kind == "not_from_population":
        strangers = [f"{section}-x"]
        drawn[0] = strangers[0]
    rows = lambda names: "id,decision\n" + "".join(f"{name},kept\n" for name in names)
    base = {"section": section, "issued_at": day(3), "owner": "F. Haddad"}
    population = {**base, "name": f"{section}-population.csv", "content": rows(ids)}
    sample = {**base, "name": f"{section}-sample.csv", "content": rows(drawn), "sample_of": population["name"]}
    truth = {"sample": sample["name"], "population_size": size, "sample_size": len(drawn), "needed": least, "strangers": strangers, "state": kind}
    sound = {"reading": "written", "said": [], "dead": False}
    return [
        {"item": population, "points": 2, **sound},
        {"item": sample, "points": 2 if kind == "sufficient" else 1, **sound},
    ], truth


def packet(seed):
    maker = Maker(seed)
    roll = maker.roll
    kind = roll.choice([*AGES, "own"])
    sections = dict(AGES.get(kind, OWN))
    given = {"title": f"Packet {seed}", "as_of": AS_OF.isoformat(), "period": {"from": PERIOD[0].isoformat(), "to": PERIOD[1].isoformat()}}
    if kind == "own":
        given["sections"] = [
            {"key": key, "title": key, "needs": [NEEDS[need] for need in needs], "sample_min": 7, **({"max_age_days": age} if age else {})}
            for key, (age, needs) in sections.items()
        ]
    else:
        given["profile"] = kind
    made, coverage, samples, opposed = {}, {}, [], []
    for section, (age, needs) in sections.items():
        own = [maker.item(section, age, needs, roll.choice(FATES)) for _ in range(roll.choice([0, 1, 1, 1, 2, 2, 3]))]
        open_period = False
        if "s" in needs and own:
            drawn, truth = sampled(maker, section, 7)
            own += drawn
            samples.append(truth)
        # A later item that replaces the stale or expired one.
        for one in [one for one in own if one["item"].get("expires_at") or one["item"]["name"].startswith(f"{section}-stale")]:
            if one["dead"] and roll.random() < 0.5:
                later = maker.item(section, age, needs, "sound")
                later["item"]["issued_at"] = AS_OF.isoformat()
                later["item"]["supersedes"] = one["item"]["name"]
                if one["item"]["issued_at"] < AS_OF.isoformat():
                    one["superseded"] = later["item"]["name"]
                    own.append(later)
        # Two items that give one rule differently.
        if len(own) > 1 and roll.random() < 0.15:
            about = section.split("_")[0]
            pair = []
            for value in (30, 60):
                one = maker.item(section, age, needs, "sound")
                one["item"].pop("content_base64", None)
                one["item"]["content"] = f"Subject: {about} records of the company\nSystem: {section}\nBackup retention days: {value}\n"
                one.update(reading="contradicted", points=0, dead=True, opposed=True)
                pair.append(one)
            own += pair
            opposed.append({"about": "backup_retention_days", "values": [["30", pair[0]["item"]["name"]], ["60", pair[1]["item"]["name"]]]})
        live = [one for one in own if "superseded" not in one]
        if "p" in needs and live and roll.random() < 0.3:
            for one in live:
                one["item"]["period"] = {"from": "2026-01-01", "to": "2026-03-31"}
            open_period = True
        failing = any(one["said"] or one.get("opposed") for one in live)
        best = max([one["points"] for one in live], default=0)
        if open_period or any(one["dead"] for one in live):
            best = min(best, 1)
        points = 0 if failing else best
        state = "failing" if failing else ["unusable", "partial", "present"][points]
        coverage[section] = ["missing", 0] if not own else [state, points]
        made[section] = own
    items = [one for own in made.values() for one in own]
    if not items:
        return packet(seed + 1_000_000)
    roll.shuffle(items)
    total = sum(points for _, points in coverage.values())
    return {
        "input": {**given, "items": [one["item"] for one in items]},
        "truth": {
            "readings": sorted([one["item"]["section"], one["item"]["name"], one["reading"], one["points"], one.get("superseded")] for one in items),
            "weaknesses": sorted([one["item"]["section"], one["item"]["name"], *said] for one in items for said in one["said"]),
            "coverage": coverage,
            "score": (100 * total) // (2 * len(sections)),
            "complete": all(points == 2 for _, points in coverage.values()),
            "samples": sorted(samples, key=lambda one: one["sample"]),
            "contradictions": sorted(opposed, key=lambda one: one["values"][0][1]),
        },
    }


print(json.dumps([packet(seed) for seed in range(int(sys.argv[1]), int(sys.argv[2]))]))
