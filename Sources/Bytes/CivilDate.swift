/// A day of the proleptic Gregorian calendar.
public struct CivilDate: Equatable, Sendable {
    /// The year; 0 is the year before the year 1.
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int

    /// A date from its parts, which are not checked.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date of a day, counted from 1 January 1970.
    ///
    /// - Parameter days: days from the year 0 to 9999, or up to a few million days outside them.
    public init(daysSince1970 days: Int) {
        // Days are counted in eras of 400 years that begin on 1 March, so that the leap day is the
        // last day of its year (Howard Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of the day, counted from 1 January 1970. The date must exist.
    public var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week, from 0 for Sunday to 6 for Saturday.
    public var weekday: Int {
        let remainder = (daysSince1970 + 4) % 7
        return remainder >= 0 ? remainder : remainder + 7
    }
}
