import GRDB
package import Store

extension PlanSchema {
    /// The sums of a plan's money are kept by the transaction that changes the money.
    ///
    /// Triggers keep them, so that each way in which an expense comes and goes counts: a change, the bin, an activity
    /// that takes its expenses with it. What leaves is only ever subtracted from a row that is there. So a plan that is
    /// deleted may lose its sums before its money.
    package static let sumMigration = StoreMigration(
        at: 67, name: "plans.sums.1", sql: sums + shareTriggers + expenseTriggers + repaymentTriggers + fillSums
    ).rebuilding { try $0.execute(sql: "DELETE FROM plan_member_sum; DELETE FROM plan_sum; \(fillSums)") }

    /// The word of an expense in each kind of sum; NULL if it has none.
    private static let word = """
        CASE kind.column1 WHEN 'total' THEN '' WHEN 'tab' THEN expense.tab WHEN 'day' THEN expense.day
            ELSE expense.category END
        """

    private static let words = """
        kind.column1 AS kind, \(word) AS word, expense.converted
        FROM expense JOIN (VALUES ('total'), ('tab'), ('day'), ('category')) AS kind
        """

    private static let sums = """
        -- What the money of a plan comes to for each member whom it names, in minor units of the plan's currency. The
        -- balance is what the others owe the member. Shared are the member's shares of everybody's expenses, own those
        -- of personal ones. Entries, shares and own_shares count what these are the sums of; triggers keep all of it.
        CREATE TABLE plan_member_sum (
            member INTEGER PRIMARY KEY REFERENCES plan_member (number) ON DELETE CASCADE,
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            entries INTEGER NOT NULL,
            balance INTEGER NOT NULL,
            shares INTEGER NOT NULL,
            shared INTEGER NOT NULL,
            own_shares INTEGER NOT NULL,
            own INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX plan_member_sum_by_plan ON plan_member_sum (plan, member);

        -- What the expenses of a plan come to, as a whole, by tab, day and category. Member is 0 for everybody's
        -- expenses, and for personal ones the member who paid them.
        CREATE TABLE plan_sum (
            plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
            member INTEGER NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('total', 'tab', 'day', 'category')),
            word TEXT NOT NULL,
            entries INTEGER NOT NULL,
            amount INTEGER NOT NULL,
            PRIMARY KEY (plan, member, kind, word)
        ) STRICT, WITHOUT ROWID;

        -- What each payment, share and repayment adds to a row of plan_member_sum.
        CREATE VIEW plan_member_sum_part AS
        SELECT expense.number AS expense, expense_payer.member, expense.plan, 1 AS entries,
            expense_payer.converted AS balance, 0 AS shares, 0 AS shared, 0 AS own_shares, 0 AS own
        FROM expense_payer JOIN expense ON expense.number = expense_payer.expense
        UNION ALL
        SELECT expense.number, expense_share.member, expense.plan, 1, -expense_share.converted,
            1 - expense.personal, (1 - expense.personal) * expense_share.converted,
            expense.personal, expense.personal * expense_share.converted
        FROM expense_share JOIN expense ON expense.number = expense_share.expense
        UNION ALL SELECT NULL, sender, plan, 1, amount, 0, 0, 0, 0 FROM repayment
        UNION ALL SELECT NULL, receiver, plan, 1, -amount, 0, 0, 0, 0 FROM repayment;

        -- What each expense adds to the rows of plan_sum.
        CREATE VIEW plan_sum_part AS
        SELECT expense.number AS expense, expense.plan, 0 AS member, \(words)
        WHERE expense.personal = 0 AND \(word) IS NOT NULL
        UNION ALL
        SELECT expense.number, expense.plan, expense_payer.member, \(words)
            JOIN expense_payer ON expense_payer.expense = expense.number
        WHERE expense.personal = 1 AND \(word) IS NOT NULL;

        """

    /// Returns SQL that adds what the parts that meet `condition` have.
    private static func add(_ condition: String) -> String {
        """
        INSERT INTO plan_sum SELECT plan, member, kind, word, 1, converted FROM plan_sum_part WHERE \(condition)
            ON CONFLICT (plan, member, kind, word)
                DO UPDATE SET entries = entries + excluded.entries, amount = amount + excluded.amount;
        """
    }

    /// Returns SQL that subtracts what the parts that meet `condition` have, which all belong to one expense.
    private static func subtract(_ condition: String) -> String {
        """
        UPDATE plan_sum SET entries = entries - 1, amount = amount - part.converted
            FROM (SELECT * FROM plan_sum_part WHERE \(condition)) AS part
            WHERE plan_sum.plan = part.plan AND plan_sum.member = part.member AND plan_sum.kind = part.kind
                AND plan_sum.word = part.word;
        """
    }

    /// Returns SQL that adds to the sums of a member.
    ///
    /// - Parameters:
    ///   - values: The columns of `plan_member_sum`, in their order, as a list of SQL expressions.
    ///   - source: The SQL that follows them, with a condition.
    private static func addMember(_ values: String, _ source: String) -> String {
        """
        INSERT INTO plan_member_sum SELECT \(values) \(source)
            ON CONFLICT (member) DO UPDATE SET entries = entries + excluded.entries,
                balance = balance + excluded.balance, shares = shares + excluded.shares,
                shared = shared + excluded.shared, own_shares = own_shares + excluded.own_shares,
                own = own + excluded.own;
        """
    }

    private static func subtractMember(_ member: String, _ balance: String) -> String {
        """
        UPDATE plan_member_sum SET entries = entries - 1, balance = balance - \(balance) WHERE member = \(member);
        """
    }

    private static let shareTriggers = """
        CREATE TRIGGER plan_sum_empty AFTER UPDATE OF entries ON plan_sum WHEN NEW.entries = 0 BEGIN
            DELETE FROM plan_sum
            WHERE plan = NEW.plan AND member = NEW.member AND kind = NEW.kind AND word = NEW.word;
        END;
        CREATE TRIGGER plan_member_sum_empty AFTER UPDATE OF entries ON plan_member_sum WHEN NEW.entries = 0 BEGIN
            DELETE FROM plan_member_sum WHERE member = NEW.member;
        END;
        CREATE TRIGGER expense_payer_sums AFTER INSERT ON expense_payer BEGIN
            \(addMember(
                "NEW.member, plan, 1, NEW.converted, 0, 0, 0, 0", "FROM expense WHERE expense.number = NEW.expense"))
            \(add("expense = NEW.expense AND member = NEW.member"))
        END;
        CREATE TRIGGER expense_payer_sums_no_more BEFORE DELETE ON expense_payer BEGIN
            \(subtractMember("OLD.member", "OLD.converted"))
            \(subtract("expense = OLD.expense AND member = OLD.member"))
        END;
        CREATE TRIGGER expense_share_sums AFTER INSERT ON expense_share BEGIN
            \(addMember(
                """
                NEW.member, plan, 1, -NEW.converted, 1 - personal, (1 - personal) * NEW.converted,
                    personal, personal * NEW.converted
                """, "FROM expense WHERE expense.number = NEW.expense"))
        END;
        CREATE TRIGGER expense_share_sums_no_more BEFORE DELETE ON expense_share BEGIN
            UPDATE plan_member_sum SET shares = shares - 1 + expense.personal,
                shared = shared - (1 - expense.personal) * OLD.converted,
                own_shares = own_shares - expense.personal, own = own - expense.personal * OLD.converted
            FROM expense WHERE plan_member_sum.member = OLD.member AND expense.number = OLD.expense;
            \(subtractMember("OLD.member", "-OLD.converted"))
        END;

        """

    /// Payments and shares leave before their expense, because their triggers read it.
    private static let expenseTriggers = """
        CREATE TRIGGER expense_sums AFTER INSERT ON expense BEGIN
            \(add("expense = NEW.number"))
        END;
        CREATE TRIGGER expense_sums_old BEFORE UPDATE OF converted, tab, day, category, personal ON expense BEGIN
            \(subtract("expense = OLD.number"))
        END;
        CREATE TRIGGER expense_sums_new AFTER UPDATE OF converted, tab, day, category, personal ON expense BEGIN
            \(add("expense = NEW.number"))
        END;
        CREATE TRIGGER expense_sums_shared AFTER UPDATE OF personal ON expense WHEN NEW.personal <> OLD.personal BEGIN
            UPDATE plan_member_sum SET shares = shares + (OLD.personal - NEW.personal) * part.count,
                shared = shared + (OLD.personal - NEW.personal) * part.sum,
                own_shares = own_shares + (NEW.personal - OLD.personal) * part.count,
                own = own + (NEW.personal - OLD.personal) * part.sum
            FROM (
                SELECT member, count(*) AS count, sum(converted) AS sum FROM expense_share
                WHERE expense = NEW.number GROUP BY member
            ) AS part WHERE plan_member_sum.member = part.member;
        END;
        CREATE TRIGGER expense_sums_no_more BEFORE DELETE ON expense BEGIN
            DELETE FROM expense_payer WHERE expense = OLD.number;
            DELETE FROM expense_share WHERE expense = OLD.number;
            \(subtract("expense = OLD.number"))
        END;

        """

    private static let repaymentTriggers = """
        CREATE TRIGGER repayment_sums AFTER INSERT ON repayment BEGIN
            \(addMember("NEW.sender, NEW.plan, 1, NEW.amount, 0, 0, 0, 0", "WHERE TRUE"))
            \(addMember("NEW.receiver, NEW.plan, 1, -NEW.amount, 0, 0, 0, 0", "WHERE TRUE"))
        END;
        CREATE TRIGGER repayment_sums_no_more AFTER DELETE ON repayment BEGIN
            \(subtractMember("OLD.sender", "OLD.amount"))
            \(subtractMember("OLD.receiver", "-OLD.amount"))
        END;

        """

    private static let fillSums = """
        INSERT INTO plan_member_sum
        SELECT member, plan, sum(entries), sum(balance), sum(shares), sum(shared), sum(own_shares), sum(own)
        FROM plan_member_sum_part GROUP BY member, plan;
        INSERT INTO plan_sum
        SELECT plan, member, kind, word, count(*), sum(converted) FROM plan_sum_part GROUP BY plan, member, kind, word;
        """
}
