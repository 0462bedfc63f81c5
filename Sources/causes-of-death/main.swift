// Brings about every kind of death that can be, so many times each, under load, and counts verdicts that are wrong:
// `scripts/proof/causes-of-death`.
internal import Glibc
internal import TestSupport

guard CommandLine.arguments.count == 2, let times = Int(CommandLine.arguments[1]), times > 0 else {
    print("usage: causes-of-death TIMES")
    exit(2)
}
do {
    let outcome = try DeathMatrix.run(times: times) { print("wrong: \($0)") }
    print(outcome.summary)
    exit(outcome.wrong == 0 && outcome.kinds >= 40 ? 0 : 1)
} catch {
    print("causes-of-death: \(error)")
    exit(1)
}
